import { NAUGHTY } from "./naughty";
import { expect, test } from "./reader";

test("a project is made, a message is answered as it comes, and its conversation stays", async ({ signedIn: page }) => {
  await page.goto("/chat");
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Kennels");
  await page.getByRole("dialog").getByRole("button", { name: "Make the project" }).click();
  await expect(page.getByRole("combobox", { name: "Project" })).toHaveValue("Kennels");
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByLabel("Message", { exact: true }).fill("What does a dog eat?");
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(/conversation=.*cnv_/);
  const log = page.getByRole("log", { name: "Messages" });
  await expect(log.getByText("What does a dog eat?", { exact: true })).toBeVisible();
  await expect(log.getByText("(mock)")).toBeVisible();
  await expect(log.getByRole("link", { name: "Its execution" })).toHaveCount(1);
  await page.reload();
  await expect(log.getByText("What does a dog eat?", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "More on What does a dog eat?" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Food");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("navigation", { name: "Conversations" })).toContainText("Food");
});

test("a document is uploaded, found for an answer, and deleted", async ({ signedIn: page }) => {
  await page.goto("/chat");
  await page.getByLabel("File to attach").setInputFiles({ name: "feeding.md", mimeType: "text/markdown", buffer: Buffer.from("# Feeding\n\nThe oldest dog eats at seven.") });
  await expect(page.getByText("feeding", { exact: false }).first()).toBeVisible();
  await page.getByLabel("Message", { exact: true }).fill("When does the oldest dog eat?");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("list", { name: "Sources" })).toContainText("eeding");

  await page.getByRole("button", { name: "Documents and templates" }).click();
  await page.getByRole("button", { name: /^Delete .*eeding/ }).click();
  await expect(page.getByText("No document yet")).toBeVisible();
  await page.getByRole("tab", { name: "Templates" }).click();
  await expect(page.getByRole("list", { name: "Templates" })).toContainText("supplier-contract");
});

test("an action that a person has to allow is decided in the conversation, also after a reload", async ({ signedIn: page }) => {
  await page.goto("/chat");
  await page.getByLabel("Message", { exact: true }).fill('/tool email {"to": ["ada@example.org"], "subject": "Hay", "body": "Two bales, please."}');
  await page.getByRole("button", { name: "Send" }).click();
  const approval = page.getByRole("region", { name: "Approval" });
  await expect(approval).toContainText("ada@example.org");
  await page.reload();
  await expect(approval).toContainText("Two bales, please.");
  await page.screenshot({ path: "e2e/shots/chat-approval-light-1280.png" });
  await approval.getByLabel("Reason").fill("Not today");
  await approval.getByRole("button", { name: "Reject" }).click();

  await expect(page.getByRole("log", { name: "Messages" }).getByText("Not done")).toBeVisible();
});

test("a conversation goes on after the connection was lost", async ({ signedIn: page }) => {
  await page.goto("/chat");
  await page.getByLabel("Message", { exact: true }).fill("First");
  await page.keyboard.press("Enter");
  const log = page.getByRole("log", { name: "Messages" });
  await expect(log.getByText("(mock)")).toHaveCount(1);
  await page.context().setOffline(true);
  await page.waitForTimeout(300);
  await page.context().setOffline(false);
  await page.getByLabel("Message", { exact: true }).fill("Second");
  await page.keyboard.press("Enter");

  await expect(log.getByText("(mock)")).toHaveCount(2, { timeout: 20_000 });
  await expect(log.getByText("First", { exact: true })).toHaveCount(1);
});

test("hostile texts of a conversation are texts", async ({ signedIn: page }) => {
  await page.goto("/chat");
  await page.getByLabel("Message", { exact: true }).fill(NAUGHTY.join("\n"));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log", { name: "Messages" }).getByText("(mock)")).toBeVisible();

  await expect(page.getByRole("log", { name: "Messages" })).toContainText(NAUGHTY[0]!);
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
});
