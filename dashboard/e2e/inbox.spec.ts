import type { Page } from "@playwright/test";

import { NAUGHTY } from "./naughty";
import { api, expect, test } from "./reader";
import { ownerToken } from "./server";

interface Approval {
  approval_id: string;
  title: string;
  status: string;
  option: string | null;
  items: { item_id: string; status: string; data: Record<string, unknown>; feedback: string | null }[];
}

async function post<T>(page: Page, path: string, body: unknown): Promise<T> {
  const response = await page.request.post(`/api/v1${path}`, { data: body, headers: { Authorization: `Bearer ${ownerToken()}` } });
  expect(response.ok(), await response.text()).toBe(true);
  return (await response.json()) as T;
}

async function askFor(page: Page, data: Record<string, unknown>): Promise<string> {
  await post(page, "/events", { name: "purchase.requested", data });
  for (;;) {
    const { items } = await api<{ items: Approval[] }>(page, "/approvals?status=pending&limit=500");
    const found = items.find((one) => one.title === `Buy ${String(data.item)}?`);
    if (found !== undefined) return found.approval_id;
    await page.waitForTimeout(100);
  }
}

test("an approval is edited, filled in and approved with the keyboard alone", async ({ signedIn: page }) => {
  const id = await askFor(page, { item: "A trailer", price_usd: 900, note: "Used is fine.", supplier: "Vega" });
  await page.goto(`/inbox?approval=${id}`);
  await expect(page.getByRole("heading", { name: "Buy A trailer?" })).toBeVisible();

  await page.keyboard.press("e");
  await page.getByLabel("note").fill("New, please.");
  await page.keyboard.press("Escape");
  await page.getByLabel("note").blur();
  await page.keyboard.press("e");
  await expect(page.getByRole("group", { name: "Changes" }).locator("ins").first()).toHaveText("New,");
  await page.screenshot({ path: "e2e/shots/inbox-diff-light-1280.png" });
  await page.keyboard.press("a");
  await expect(page.getByText("The form needs cost_centre.")).toBeVisible();
  await page.getByLabel("order next quarter").check();
  await page.getByRole("combobox", { name: "Cost centre" }).click();
  await page.getByRole("option", { name: "vehicles" }).click();
  await page.keyboard.press("Control+Enter");

  await expect(page.getByText("Approved by admin")).toBeVisible();
  const decided = await api<Approval>(page, `/approvals/${id}`);
  expect(decided).toMatchObject({ status: "approved", option: "order next quarter" });
  expect(decided.items[0]?.data.note).toBe("New, please.");
});

test("a bundle takes a verdict for each item and leaves the others open", async ({ signedIn: page }) => {
  const { items } = await api<{ items: (Approval & { items_total: number })[] }>(page, "/approvals?status=pending&limit=500");
  const bundle = items.find((one) => one.items_total > 1)!;
  await page.goto(`/inbox?approval=${bundle.approval_id}`);
  await expect(page.getByText(/^\d+ undecided\.$/)).toBeVisible();

  await page.keyboard.press("a");
  await page.keyboard.press("s");
  await expect(page.getByRole("button", { name: "Send 2 verdicts" })).toBeDisabled();
  await page.getByLabel("What should be different?").fill("Shorter, please.");
  await page.screenshot({ path: "e2e/shots/inbox-verdicts-light-1280.png" });
  await page.getByRole("button", { name: "Send 2 verdicts" }).click();

  await expect(page.getByText("2 verdicts sent.")).toBeVisible();
  const after = await api<Approval>(page, `/approvals/${bundle.approval_id}`);
  expect(after.items.filter((item) => item.status === "approved")).toHaveLength(1);
  expect(after.items.find((item) => item.status === "revision_requested")?.feedback).toBe("Shorter, please.");
});

test("who was faster is said", async ({ signedIn: page }) => {
  const id = await askFor(page, { item: "A saddle", price_usd: 300, note: "", supplier: "Vega" });
  await page.goto(`/inbox?approval=${id}`);
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByLabel("Why not?").fill("Too dear.");
  const { token } = await post<{ token: string }>(page, "/tokens", { user: "frida", role: "admin" });
  await page.request.post(`/api/v1/approvals/${id}/decision`, {
    data: { decision: "reject", feedback: "no" },
    headers: { Authorization: `Bearer ${token}` },
  });
  // The news may be faster than the key: then there is nothing left to send.
  await page.getByLabel("Why not?").press("Control+Enter", { timeout: 2_000 }).catch(() => undefined);

  await expect(page.getByText("Rejected by frida")).toBeVisible();
});

test("hostile texts are texts", async ({ signedIn: page }) => {
  const { items } = await api<{ items: Approval[] }>(page, "/approvals?status=pending&limit=500");
  const hostile = items.find((one) => one.title.includes("<script>"))!;
  await page.goto(`/inbox?approval=${hostile.approval_id}`);

  await expect(page.getByRole("heading", { level: 2 })).toContainText(NAUGHTY[0]!);
  for (const text of NAUGHTY) expect(await page.locator("main").innerText()).toContain(text);
  await page.keyboard.press("e");
  await page.keyboard.press("e");
  await page.getByRole("link", { name: "Where it comes from" }).click();
  await expect(page.getByRole("dialog")).toContainText(NAUGHTY[0]!);
  await page.screenshot({ path: "e2e/shots/task-panel-light-1280.png" });
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
});
