import type { ExecutionRows } from "@/shared/api/executions";
import type { Execution, ExecutionStatus, Listing, LogEvent } from "@/shared/api/wire";

export interface EventMessage {
  type: "event";
  event_id: string;
  execution_id: string;
  seq: number;
  event_type: string;
  name: string | null;
  task_id: string | null;
  execution_task_id?: string | null;
  subtask_id: string | null;
  agent_id: string | null;
  status: string | null;
  message: string | null;
  error_type: string | null;
  timestamp: string;
}

export interface UpdateMessage {
  type: "execution_update";
  execution_id: string;
  status: ExecutionStatus;
  status_message: string | null;
  progress: Execution["progress"];
  timestamp: string;
}

export type StreamMessage = EventMessage | UpdateMessage | { type: "resync" } | { type: "ready" };

/** The execution after an update; the same object when the update is older than what is known. */
export function updated<T extends Execution>(execution: T, update: UpdateMessage): T {
  if (update.timestamp < execution.updated_at) return execution;
  const { tasks_completed, tasks_total, percent } = update.progress;
  return {
    ...execution,
    status: update.status,
    status_message: update.status_message,
    progress: { ...execution.progress, tasks_completed, tasks_total, percent },
    updated_at: update.timestamp,
  };
}

/** The rows of a list after updates; null when the list has to be asked for again. */
export function withUpdates(rows: Execution[], updates: ReadonlyMap<string, UpdateMessage>, status: ExecutionStatus | undefined): Execution[] | null {
  const known = new Set(rows.map((row) => row.execution_id));
  for (const update of updates.values()) {
    if (!known.has(update.execution_id)) return null;
    if (status !== undefined && update.status !== status) return null;
  }
  return rows.map((row) => {
    const update = updates.get(row.execution_id);
    return update === undefined ? row : updated(row, update);
  });
}

export function hasRows(data: unknown): data is ExecutionRows | Listing<Execution> {
  return typeof data === "object" && data !== null && ("rows" in data || "items" in data);
}

/**
 * The log with events that have just come, at its end. They lack their data, so they are marked as partial and the
 * next reading of the log takes their place.
 */
export function withEvents(log: LogEvent[], events: EventMessage[]): LogEvent[] {
  let last = log.at(-1)?.seq ?? 0;
  const added: LogEvent[] = [];
  for (const message of events) {
    // After a hole the reading brings the rest: the order of the log is never broken.
    if (message.seq !== last + 1) continue;
    last = message.seq;
    const taskId = message.execution_task_id ?? message.task_id;
    added.push({ ...message, task_id: taskId, agent_timestamp: null, output_data: null, error_message: null, human_review_required: false, is_partial: true });
  }
  return added.length === 0 ? log : [...log, ...added];
}
