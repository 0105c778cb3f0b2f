import { makeApproval, makeEvent, makeExecution, makeTask } from "../src/shared/api/fakes";
import { api, expect, test } from "./reader";

type Row = Record<string, unknown>;
const keys = (row: object | undefined) => Object.keys(row ?? {}).sort();

test("the server answers in the shapes that the dashboard knows", async ({ page }) => {
  const { items: executions } = await api<{ items: Row[] }>(page, "/executions?status=BLOCKED");
  expect(keys(executions[0])).toEqual(keys(makeExecution()));

  const id = String(executions.find((one) => one.name === "lead-campaign")?.execution_id);
  const detail = await api<{ tasks: Row[] }>(page, `/executions/${id}`);
  expect(keys(detail)).toEqual([...keys(makeExecution()), "costs", "tasks", "tasks_truncated"].sort());
  expect(keys(detail.tasks[0])).toEqual(keys(makeTask()));

  const log = await api<{ items: Row[] }>(page, `/executions/${id}/events?after=0&limit=1`);
  expect(keys(log.items[0])).toEqual(keys(makeEvent()));

  const { items: approvals } = await api<{ items: Row[] }>(page, "/approvals?limit=1");
  const approval = await api<{ items: Row[] }>(page, `/approvals/${String(approvals[0]?.approval_id)}`);
  expect(keys(approval)).toEqual(keys(makeApproval()));
  expect(keys(approval.items[0])).toEqual(keys(makeApproval().items[0]));
});
