import { api, expect, test } from "./reader";

interface Execution {
  execution_id: string;
  name: string;
  status: string;
  status_message: string | null;
  retry_of: string | null;
}

async function find(page: Parameters<typeof api>[0], fits: (one: Execution) => boolean): Promise<Execution> {
  const { items } = await api<{ items: Execution[] }>(page, "/executions?limit=500");
  return items.find(fits)!;
}

/** A campaign, and one of its tasks that ran more than once. */
async function withAgain(page: Parameters<typeof api>[0]): Promise<{ execution_id: string; task_id: string }> {
  const { items } = await api<{ items: { key: string }[] }>(page, "/ledger?group_by=execution");
  for (const { key } of items) {
    const { tasks } = await api<{ tasks?: { task_id: string; attempt: number }[] }>(page, `/executions/${key}`);
    const again = tasks?.find((task) => task.attempt > 1);
    if (again !== undefined) return { execution_id: key, task_id: again.task_id };
  }
  throw new Error("no task ran more than once");
}

test("an execution is paused, resumed, cancelled with a reason and started again", async ({ signedIn: page }) => {
  const { execution_id: id } = await find(page, (one) => one.name === "purchase-review" && one.status === "BLOCKED");
  await page.goto(`/executions/${id}`);

  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("region", { name: "Figures" }).getByText("Paused", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("region", { name: "Figures" }).getByText("Waits for a person", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel("Why (kept in the log)").fill("not needed");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("region", { name: "Figures" }).getByText("Cancelled", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Start again" }).click();

  await expect(page.getByRole("link", { name: id.slice(-6) })).toBeVisible();
});

test("a failed task says what went wrong and is retried", async ({ signedIn: page }) => {
  const failed = await find(page, (one) => one.status_message?.includes("failed task") === true);
  await page.goto(`/executions/${failed.execution_id}`);
  const failures = page.getByRole("region", { name: "Failed tasks" });
  await expect(failures).toContainText("No such file");

  await failures.getByRole("button", { name: "Look" }).click();
  await expect(page.getByRole("dialog")).toContainText("FileNotFoundError");
  await page.screenshot({ path: "e2e/shots/failed-task-light-1280.png" });
  await page.keyboard.press("Escape");
  await failures.getByRole("button", { name: "Retry" }).click();

  await expect(failures).toBeHidden();
});

test("handlers of the graph lead to their tasks, events open", async ({ signedIn: page }) => {
  const campaign = await find(page, (one) => one.name === "lead-campaign" && one.status === "BLOCKED" && one.status_message?.includes("person") === true);
  await page.goto(`/executions/${campaign.execution_id}`);
  await page.getByText("email-drafter", { exact: true }).click();
  await expect(page.getByRole("tab", { name: "Tasks" })).toHaveAttribute("aria-selected", "true");

  await page.getByRole("region", { name: "Tasks" }).getByRole("button").first().click();
  await page.getByRole("button", { name: /turn:1/ }).click();
  await expect(page.getByRole("dialog")).toContainText("claude-sonnet");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByRole("textbox", { name: "Type" }).or(page.getByRole("combobox", { name: "Type" })).first().click();
  await page.getByRole("option", { name: "approval_requested" }).click();
  await page.getByRole("region", { name: "Events" }).getByRole("button").first().click();

  await expect(page.getByRole("region", { name: "Fields" })).toContainText("approval_requested");
});

test("the list filters, chooses several and pauses them by id", async ({ signedIn: page }) => {
  await page.goto("/executions?status=BLOCKED");
  await page.getByLabel("Name, id or message").fill("purchase");
  await expect(page.getByRole("row").filter({ hasText: "lead-campaign" })).toHaveCount(0);
  await page.getByLabel("Choose all that are shown").check();
  const bar = page.getByRole("toolbar", { name: "Commands for the chosen executions" });
  await page.screenshot({ path: "e2e/shots/bulk-light-1280.png" });
  await bar.getByRole("button", { name: /^Pause/ }).click();

  await expect(page.getByText(/\d done/)).toBeVisible();
  const { items } = await api<{ items: Execution[] }>(page, "/executions?status=PAUSED");
  expect(items.length).toBeGreaterThan(0);
});

test("the palette goes to an execution", async ({ signedIn: page }) => {
  const { execution_id: id } = await find(page, (one) => one.name === "ping");
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.locator('input[aria-label="Search and commands"]').fill(id);
  await page.screenshot({ path: "e2e/shots/palette-light-1280.png" });
  await page.keyboard.press("Enter");

  await expect(page).toHaveURL(new RegExp(id));
});

test("model turns open their tasks, attempts show what differed", async ({ signedIn: page }) => {
  const campaign = await withAgain(page);
  await page.goto(`/executions/${campaign.execution_id}?tab=turns`);
  const turns = page.getByRole("region", { name: "Model turns" });
  await expect(turns).toContainText("calculator()");
  await page.screenshot({ path: "e2e/shots/turns-light-1280.png" });
  await turns.getByRole("button").first().click();
  await expect(page.getByRole("dialog")).toContainText("Steps");

  await page.goto(`/executions/${campaign.execution_id}?tab=tasks&task=${campaign.task_id}`);
  const difference = page.getByRole("region", { name: "Difference between attempts" });
  await expect(difference).toContainText("waits");
  await difference.scrollIntoViewIfNeeded();
  await page.screenshot({ path: "e2e/shots/attempts-light-1280.png" });
});

test("costs tell of budgets, home of throughput", async ({ signedIn: page }) => {
  await page.goto("/costs");
  await expect(page.getByRole("region", { name: "Budgets" })).toContainText("in lead-campaign");
  await page.goto("/");
  await expect(page.getByRole("region", { name: "Throughput, last 24 hours" })).toContainText(/\d+ began/);
});
