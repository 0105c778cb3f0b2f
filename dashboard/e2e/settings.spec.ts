import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { NAUGHTY } from "./naughty";
import { expect, test } from "./reader";
import { ownerToken } from "./server";

test("a webhook is added, shows its secret once, takes a test, and is removed", async ({ signedIn: page }) => {
  const heard: string[] = [];
  const receiver = createServer((request, response) => {
    heard.push(String(request.headers["webhook-id"]));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await page.goto("/settings");

  await page.getByRole("button", { name: "Add a receiver" }).click();
  await page.getByLabel("Address").fill(address);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("whsec_");
  await page.screenshot({ path: "e2e/shots/webhook-secret-light-1280.png" });
  await page.getByRole("button", { name: "I have kept it" }).click();
  const card = page.getByRole("article", { name: address });
  await card.getByRole("button", { name: "Send a test" }).click();
  await expect(card.getByRole("region", { name: "Deliveries" })).toContainText("webhook.test");
  await page.screenshot({ path: "e2e/shots/webhook-deliveries-light-1280.png" });
  expect(heard).toHaveLength(1);
  await card.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();

  await expect(card).toHaveCount(0);
  receiver.close();
});

test("what is no address of a receiver is refused in words", async ({ signedIn: page }) => {
  await page.goto("/settings");
  await page.getByRole("button", { name: "Add a receiver" }).click();
  await page.getByText("E-mail", { exact: true }).click();
  await page.getByLabel("E-mail address").fill(NAUGHTY[0] ?? "");
  await page.getByRole("button", { name: "Add", exact: true }).click();

  await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
});

test("personal data are masked until somebody asks, and that they looked is recorded", async ({ signedIn: page }) => {
  const sent = await page.request.post("/api/v1/events", {
    data: { name: "purchase.requested", data: { item: "A fence", price_usd: 40, note: "", supplier: "Vega", ordered_by: "ida@example.org" } },
    headers: { Authorization: `Bearer ${ownerToken()}` },
  });
  const { execution_id: id } = (await sent.json()) as { execution_id: string };
  await page.goto(`/executions/${id}?tab=data`);
  const input = page.getByRole("region", { name: "Input" });
  await expect(input).toContainText("i***@example.org");
  await expect(input).not.toContainText("ida@example.org");

  await page.getByRole("button", { name: "Show personal data" }).click();
  await expect(input).toContainText("ida@example.org");
  await page.getByRole("button", { name: "Mask personal data" }).click();
  await expect(input).toContainText("i***@example.org");

  await page.goto("/settings");
  await expect(page.getByRole("region", { name: "Looks", exact: true })).toContainText(id.slice(-6));
});
