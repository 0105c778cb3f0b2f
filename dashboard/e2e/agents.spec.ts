import { NAUGHTY } from "./naughty";
import { expect, test } from "./reader";

test("an agent is registered, tried, and paused", async ({ signedIn: page }) => {
  await page.goto("/agents");
  await page.getByRole("button", { name: "Register", exact: true }).first().click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill("translator");
  await form.getByLabel("Instructions").fill("Translate into Latin.");
  await form.getByRole("combobox", { name: "Tools" }).click();
  await page.getByRole("option", { name: "calculator" }).click();
  await page.keyboard.press("Escape");
  await form.getByRole("button", { name: "Register" }).click();

  await expect(page).toHaveURL(/agents\/agt_/);
  const playground = page.getByRole("region", { name: "Playground" });
  await playground.getByLabel("Input").fill("Good morning");
  await playground.getByRole("button", { name: "Run" }).click();
  await expect(playground.getByText(/^Answer/)).toBeVisible();
  await expect(playground.getByRole("link", { name: "Its execution" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Figures" })).toContainText("Succeeded100 %");
  await page.screenshot({ path: "e2e/shots/playground-light-1280.png" });

  await page.getByRole("switch", { name: "takes runs" }).click({ force: true });
  await expect(page.getByRole("switch", { name: "paused" })).toBeVisible();
  await expect(playground.getByRole("button", { name: "Run" })).toBeDisabled();
});

test("hostile names and instructions of an agent are texts", async ({ signedIn: page }) => {
  await page.goto("/agents");
  await page.getByRole("link", { name: /script/ }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(NAUGHTY[0]!);
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
});

test("a tool tells what it takes and is tried", async ({ signedIn: page }) => {
  await page.goto("/tools");
  await page.getByRole("button", { name: /^calculator/ }).click();
  const tool = page.getByRole("region", { name: "calculator" });
  await tool.getByRole("button", { name: "Try it" }).click();
  await expect(tool.getByRole("alert").or(tool.getByRole("status"))).toBeVisible();

  await tool.getByLabel(/operation/i).first().click();
  await page.getByRole("option", { name: "add" }).click();
  await tool.getByLabel(/^a\b/i).fill("2");
  await tool.getByLabel(/^b\b/i).fill("40");
  await tool.getByRole("button", { name: "Try it" }).click();

  await expect(tool.getByRole("region", { name: "Result" })).toContainText("42");
});
