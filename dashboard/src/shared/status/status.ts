import type { ApprovalStatus, Execution, SubtaskStatus, Task, TaskStatus } from "@/shared/api/wire";

/** What a status means to the reader: its colour and its sign follow from this. */
export type Meaning = "queued" | "running" | "person" | "event" | "done" | "failed" | "paused" | "cancelled";

export interface Reading {
  meaning: Meaning;
  label: string;
}

/** BLOCKED says too little: waiting for a person, for an event or a time, and for a retry are different things. */
export function readExecution(execution: Pick<Execution, "status" | "status_message">): Reading {
  switch (execution.status) {
    case "CREATED":
    case "QUEUED":
      return { meaning: "queued", label: "Queued" };
    case "RUNNING":
      return { meaning: "running", label: "Running" };
    case "PAUSED":
      return { meaning: "paused", label: "Paused" };
    case "COMPLETED":
      return { meaning: "done", label: "Completed" };
    case "FAILED":
      return { meaning: "failed", label: "Failed" };
    case "CANCELLED":
      return { meaning: "cancelled", label: "Cancelled" };
    case "BLOCKED":
      return readWaiting(execution.status_message);
  }
}

function readWaiting(message: string | null): Reading {
  if (message !== null && /failed tasks?:/.test(message)) return { meaning: "failed", label: "Needs a retry" };
  if (message?.includes("waiting for a person")) return { meaning: "person", label: "Waits for a person" };
  return { meaning: "event", label: "Waits" };
}

const TASKS: Record<Exclude<TaskStatus, "BLOCKED">, Reading> = {
  QUEUED: { meaning: "queued", label: "Queued" },
  RUNNING: { meaning: "running", label: "Running" },
  COMPLETE: { meaning: "done", label: "Complete" },
  ERROR: { meaning: "failed", label: "Failed" },
  SKIPPED: { meaning: "cancelled", label: "Skipped" },
  CANCELLED: { meaning: "cancelled", label: "Cancelled" },
};

export function readTask(task: Pick<Task, "status" | "status_message" | "executor">): Reading {
  if (task.status !== "BLOCKED") return TASKS[task.status];
  if (task.executor === "human" || task.status_message?.includes("waiting for a person") === true) {
    return { meaning: "person", label: "Waits for a person" };
  }
  return { meaning: "event", label: "Waits" };
}

export function readSubtask(status: SubtaskStatus): Reading {
  return TASKS[status];
}

const APPROVALS: Record<ApprovalStatus, Reading> = {
  pending: { meaning: "person", label: "Pending" },
  approved: { meaning: "done", label: "Approved" },
  rejected: { meaning: "failed", label: "Rejected" },
  revision_requested: { meaning: "paused", label: "Sent back" },
  expired: { meaning: "cancelled", label: "Expired" },
  cancelled: { meaning: "cancelled", label: "Cancelled" },
  revoked: { meaning: "failed", label: "Revoked" },
  decided: { meaning: "done", label: "Decided" },
};

export function readApproval(status: ApprovalStatus): Reading {
  return APPROVALS[status];
}

export function hasEnded(execution: Pick<Execution, "status">): boolean {
  return ["COMPLETED", "FAILED", "CANCELLED"].includes(execution.status);
}
