import { expect, test } from "./reader";

test("problems are shown where they are; the mended manifest deploys", async ({ signedIn: page }) => {
  await page.goto("/manifests/new");
  const editor = page.getByLabel("Manifest");
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.insertText("colour: blue\n");
  await page.getByRole("button", { name: "Check and deploy" }).click();
  const problem = page.getByRole("list", { name: "Problems" }).getByRole("button").first();
  await expect(problem).toContainText("unknown key 'colour'");
  await expect(page.locator(".cm-lint-marker-error")).toHaveCount(1);
  await problem.click();
  await page.screenshot({ path: "e2e/shots/manifest-problem-light-1280.png" });

  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+Home");
  await page.getByText("purchase-review").first().dblclick();
  await page.getByRole("button", { name: "Check and deploy" }).click();

  await expect(page).toHaveURL(/manifests\/purchase-review/);
  await page.getByRole("tab", { name: "Revisions" }).click();
  await expect(page.getByText("in force", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Changes of the source" })).toBeVisible();
  await page.screenshot({ path: "e2e/shots/manifest-revisions-light-1280.png" });
});

test("an event starts an execution that can be followed", async ({ signedIn: page }) => {
  await page.goto("/manifests/ping?tab=send");
  await page.getByRole("textbox", { name: "Data" }).fill('{"number": 7}');
  await page.getByRole("button", { name: "Send and follow it" }).click();

  await expect(page).toHaveURL(/executions\/exe_/);
  await expect(page.getByRole("region", { name: "Figures" }).getByText("Completed")).toBeVisible();
  await page.getByRole("tab", { name: "Input / output" }).click();
  await expect(page.getByText("pong 7")).toBeVisible();
});
