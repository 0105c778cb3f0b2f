import type { RunSubtask, RunTask } from "@/shared/api/plan-runs";
import type { Reading } from "@/shared/status/status";
import { readTask } from "@/shared/status/status";

const NOT_BEGUN: Reading = { meaning: "queued", label: "Not begun" };

/** What a plan's task or subtask is doing, also before it has begun. */
export function readRunTask(task: RunTask): Reading {
  if (task.status === "WAITING") return NOT_BEGUN;
  return readTask({ status: task.status, status_message: task.status_message, executor: "automated" });
}

export function readRunSubtask(subtask: RunSubtask): Reading {
  if (subtask.status === "WAITING") return NOT_BEGUN;
  const executor = subtask.action === "human" ? "human" : "agent";
  return readTask({ status: subtask.status, status_message: subtask.error_message, executor });
}
