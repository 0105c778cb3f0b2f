import { fileURLToPath } from "node:url";

import { NAUGHTY } from "./naughty";
import { expect, test } from "./reader";

const FENCE = fileURLToPath(new URL("./fixtures/fence.json", import.meta.url));

test("a dropped plan opens with its critical path, tells of a task, and is taken out again", async ({ signedIn: page }) => {
  await page.goto("/plans");
  await page.locator('input[type="file"]').setInputFiles(FENCE);
  await expect(page).toHaveURL(/plans\/pln_/);
  const chart = page.getByRole("region", { name: "Gantt chart" });
  await expect(chart.getByRole("img", { name: /^Ask the town for the permit: .*critical$/ })).toBeVisible();
  await expect(chart.getByRole("img", { name: /^Compare three offers: .* of float$/ })).toBeVisible();

  await chart.getByRole("button", { name: "Ask the town for the permit" }).click();
  await expect(page.getByRole("dialog")).toContainText("People only");
  await page.getByRole("dialog").getByRole("button", { name: "Measure the run" }).click();
  await expect(page.getByRole("dialog")).toContainText("Every side is measured twice");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Tree" }).click();
  await expect(page.getByRole("region", { name: "Tree" })).toContainText("Add up the sides");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();

  await expect(page).toHaveURL(/plans$/);
});

test("a file that is no plan is refused with what is wrong", async ({ signedIn: page }) => {
  await page.goto("/plans");
  await page.locator('input[type="file"]').setInputFiles({ name: "odd.json", mimeType: "application/json", buffer: Buffer.from('{"title": "x", "phases": [{"phase_id": ""}]}') });

  await expect(page.getByRole("region", { name: "Import a plan" }).getByRole("alert")).toContainText("phase_id");
});

test("hostile texts of a plan are texts", async ({ signedIn: page }) => {
  const tasks = NAUGHTY.map((title, index) => ({ task_id: `t${index}`, title, description: title, estimated_hours: 1, subtasks: [{ subtask_id: `s${index}`, title, action: title.slice(0, 100) }] }));
  const plan = { title: NAUGHTY[0], goal: NAUGHTY.join(" "), phases: [{ phase_id: "p", name: NAUGHTY[1], tasks }] };
  await page.goto("/plans");
  await page.locator('input[type="file"]').setInputFiles({ name: "hostile.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(plan)) });

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(NAUGHTY[0]!);
  await page.getByRole("tab", { name: "Tree" }).click();
  await expect(page.getByRole("region", { name: "Tree" })).toContainText(NAUGHTY[1]!);
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
});
