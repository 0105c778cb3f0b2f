import type { Page } from "@playwright/test";

import { api, expect, test } from "./reader";
import { ownerToken } from "./server";

const headers = () => ({ Authorization: `Bearer ${ownerToken()}` });

async function post<T>(page: Page, path: string, data: object): Promise<T> {
  const response = await page.request.post(`/api/v1${path}`, { headers: headers(), data });
  expect(response.ok(), await response.text()).toBe(true);
  return (await response.json()) as T;
}

async function fence(page: Page): Promise<string> {
  const { items } = await api<{ items: { plan_id: string; title: string }[] }>(page, "/plans");
  return items.find((one) => one.title === "A new fence")!.plan_id;
}

test("a worker is registered with its key shown once, and paused", async ({ signedIn: page }) => {
  await page.goto("/agents");
  await page.getByRole("button", { name: "Register a worker" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill("surveyor");
  await form.getByRole("combobox", { name: "Capabilities" }).fill("calculator");
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "Register" }).click();
  await expect(form.getByRole("group", { name: "Key" })).toContainText(/\S{20}/);
  await page.keyboard.press("Escape");

  const workers = page.getByRole("region", { name: "Agent workers" });
  await expect(workers).toContainText("calculator");
  await workers.getByRole("switch", { name: "surveyor takes work" }).click({ force: true });
  await expect(workers).toContainText("paused");
  await workers.getByRole("switch", { name: "surveyor takes work" }).click({ force: true });
  await expect(workers).toContainText("takes work");
});

test("a plan is started from its page and followed while agents and people work", async ({ signedIn: page }) => {
  const worker = await post<{ agent_id: string }>(page, "/agents/register", { name: "carpenter", capabilities: ["human", "calculator", "carpentry"] });
  await page.goto(`/plans/${await fence(page)}`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page).toHaveURL(/executions\/exe_/);
  const id = page.url().split("/").at(-1)!.split("?")[0]!;
  const tree = page.getByRole("region", { name: "Plan", exact: true });
  await expect(tree.getByText("Measure the run")).toBeVisible();

  const work = await page.request.get(`/api/v1/agents/${worker.agent_id}/work`, { headers: headers() });
  const { task_id: taskId } = (await work.json()) as { task_id: string };
  const report = (fields: object) => post(page, `/executions/${id}/events`, { agent_id: worker.agent_id, task_id: taskId, ...fields });
  await report({ event_type: "task_started", status: "RUNNING" });
  await expect(tree).toContainText("carpenter");
  await expect(page.getByRole("region", { name: "Now" })).toContainText("Measure the run");
  await report({ event_type: "task_complete", status: "COMPLETE", message: "done" });
  await expect(tree.getByText("1/2")).toBeVisible();
  await page.getByRole("tab", { name: "Schedule" }).click();
  await expect(page.getByRole("img", { name: /^Measure the run: planned .*, began / })).toBeVisible();
  await page.screenshot({ path: "e2e/shots/execution-schedule-light-1280.png" });
});

test("what no agent can do is told before and after the start", async ({ signedIn: page }) => {
  const plan = await post<{ plan_id: string }>(page, "/plans/import", {
    title: "Flight", phases: [{ phase_id: "p", name: "Go", tasks: [{ task_id: "t", title: "Fly", subtasks: [{ subtask_id: "s", title: "Fly", action: "fly_rocket" }] }] }],
  });
  await page.goto(`/plans/${plan.plan_id}`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("fly_rocket");
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(dialog).toContainText("The plan is at work.");
  await expect(dialog).toContainText("fly_rocket");
  await dialog.getByRole("link", { name: "Follow its execution" }).click();

  await expect(page).toHaveURL(/executions\/exe_/);
});

test("a task is split by an agent and its subtasks are edited", async ({ signedIn: page }) => {
  await post(page, "/agents/register", { name: "planner", capabilities: ["draft_document", "send_email", "build_quote"] });
  await page.goto(`/plans/${await fence(page)}?task=offers`);
  const panel = page.getByRole("dialog");
  await panel.getByRole("combobox", { name: "Have it split by" }).click();
  await page.getByRole("option", { name: "planner" }).click();
  await panel.getByRole("button", { name: "Decompose" }).click();
  await expect(panel.getByText(/\d+ % sure/)).toBeVisible();

  await panel.getByRole("button", { name: "Edit subtasks" }).click();
  await panel.getByRole("button", { name: "Add a subtask" }).click();
  await panel.getByLabel("Title").last().fill("Sign the best offer");
  await panel.getByRole("button", { name: "Save subtasks" }).click();
  await expect(panel.getByText("Sign the best offer")).toBeVisible();
  await panel.getByRole("button", { name: "Edit subtasks" }).click();
  await panel.getByText("JSON", { exact: true }).click();
  await panel.getByLabel("Subtasks as JSON").fill("[{}]");
  await expect(panel).toContainText("Entry 1 has no subtask_id.");
});
