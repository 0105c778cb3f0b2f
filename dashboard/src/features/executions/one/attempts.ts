import type { LogEvent } from "@/shared/api/wire";

export type AttemptEnd = "complete" | "waits" | "failed" | "gone" | "runs";

/** One time that a task ran: from its start to its answer, its wait or its error. */
export interface Attempt {
  number: number;
  startedAt: string;
  endedAt: string | null;
  end: AttemptEnd;
  /** What it answered; null unless it completed. */
  output: unknown;
  error: string | null;
  /** The steps that ran in it, with what they answered; earlier ones were not run again. */
  steps: { name: string; output: unknown }[];
}

const ENDS: Record<string, AttemptEnd> = {
  task_complete: "complete",
  task_blocked: "waits",
  task_queued: "waits",
  task_retrying: "failed",
  task_error: "failed",
  task_skipped: "gone",
  task_cancelled: "gone",
};

/** Reads the attempts of one task from its log, oldest first. */
export function attemptsOf(log: readonly LogEvent[], taskId: string): Attempt[] {
  const attempts: Attempt[] = [];
  for (const event of log) {
    if (event.task_id !== taskId) continue;
    if (event.event_type === "task_started") attempts.push(started(event, attempts.length + 1));
    const current = attempts.at(-1);
    if (current === undefined) continue;
    if (event.event_type === "subtask_complete") current.steps.push({ name: event.subtask_id ?? "", output: event.output_data });
    const end = ENDS[event.event_type];
    if (end === undefined || current.end !== "runs") continue;
    current.end = end;
    current.endedAt = event.timestamp;
    current.output = end === "complete" ? event.output_data : null;
    current.error = end === "failed" ? [event.error_type, event.error_message ?? event.message].filter(Boolean).join(": ") : null;
  }
  return attempts;
}

function started(event: LogEvent, number: number): Attempt {
  return { number, startedAt: event.timestamp, endedAt: null, end: "runs", output: null, error: null, steps: [] };
}

/** What a diff between attempts compares: answer or error, and the steps that ran. */
export function textOf(attempt: Attempt): string {
  const { error, output } = attempt;
  const steps = Object.fromEntries(attempt.steps.map((step) => [step.name, step.output]));
  return JSON.stringify({ ended: attempt.end, ...(error === null ? {} : { error }), ...(output === null ? {} : { output }), steps }, null, 2);
}
