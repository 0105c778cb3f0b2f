import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { PlanTab } from "@/features/executions/one/plan-tab";
import { makeRunSubtask, makeRunTask, makeRunTree } from "@/shared/api/fakes-runs";
import { answerWith, draw } from "@/shared/testing/render";

test("a task in trouble is open and says what happened, a wait for a person leads to the inbox", async () => {
  answerWith(() => ({ body: [] }));
  const failed = makeRunSubtask({ subtask_id: "a", title: "Add up", action: "calculator", status: "ERROR", error_type: "TOOL_NOT_FOUND", error_message: "no calculator" });
  const waits = makeRunSubtask({ subtask_id: "b", status: "BLOCKED", error_message: "Do: walk" });
  const task = makeRunTask({ status: "BLOCKED", execution_task_id: "tsk_1", subtasks: [failed, waits], subtasks_total: 2 });
  await draw(<PlanTab tree={makeRunTree([task])} onTask={() => undefined} />);

  expect(screen.getByText("no calculator")).toBeTruthy();
  expect(screen.getByText("There is no such tool on this server.")).toBeTruthy();
  expect(screen.getAllByRole("link", { name: "Decide it in the inbox" })).toHaveLength(1);
});
