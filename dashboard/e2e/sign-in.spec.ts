import { expect, test } from "./reader";
import { ownerToken } from "./server";

test("a wrong token is refused, the right one opens the page that was asked for", async ({ page }) => {
  await page.goto("/executions?status=BLOCKED");
  await page.getByLabel("Token").fill("tct_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();

  await page.getByLabel("Token").fill(ownerToken());
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { name: "Executions" })).toBeVisible();
  expect(page.url()).toContain("status=BLOCKED");
});

test("a link with a token signs in with one click and leaves no token in the address", async ({ page }) => {
  await page.goto(`/#token=${ownerToken()}`);
  expect(page.url()).not.toContain("token");
  await page.getByRole("button", { name: "Sign in" }).click();

  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();

  await page.reload();
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to Tercet" })).toBeVisible();
});
