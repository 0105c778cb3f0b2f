import type { LogEvent } from "@/shared/api/wire";

export type SpanKind = "queued" | "running" | "waiting" | "person" | "retry";

export interface Span {
  kind: SpanKind;
  fromMs: number;
  /** Null while it lasts. */
  toMs: number | null;
  attempt: number;
}

export interface TaskTimeline {
  taskId: string;
  spans: Span[];
  failedAtMs: number[];
}

/** Which span an event of a task begins; null ends the task. */
function spanBegunBy(event: LogEvent): SpanKind | null | undefined {
  switch (event.event_type) {
    case "task_created":
    case "task_queued":
      return "queued";
    case "task_started":
      return "running";
    case "task_retrying":
      return "retry";
    case "task_blocked":
      return event.human_review_required ? "person" : "waiting";
    case "task_complete":
    case "task_error":
    case "task_skipped":
    case "task_cancelled":
      return null;
    default:
      return undefined;
  }
}

/** Turns the log into the spans of each task: in the queue, at work, waiting, until the next attempt. */
export function timelinesOf(log: readonly LogEvent[]): Map<string, TaskTimeline> {
  const timelines = new Map<string, TaskTimeline>();
  const attempts = new Map<string, number>();
  for (const event of log) {
    const begun = spanBegunBy(event);
    if (begun === undefined || event.task_id === null) continue;
    const atMs = Date.parse(event.timestamp);
    const timeline = timelines.get(event.task_id) ?? { taskId: event.task_id, spans: [], failedAtMs: [] };
    timelines.set(event.task_id, timeline);
    const last = timeline.spans.at(-1);
    if (last?.toMs === null) last.toMs = atMs;
    if (event.event_type === "task_retrying" || event.event_type === "task_error") timeline.failedAtMs.push(atMs);
    if (begun === null) continue;
    const attempt = (attempts.get(event.task_id) ?? 0) + (begun === "running" ? 1 : 0);
    attempts.set(event.task_id, attempt);
    timeline.spans.push({ kind: begun, fromMs: atMs, toMs: null, attempt });
  }
  return timelines;
}

export interface Range {
  fromMs: number;
  toMs: number;
}

/** Round moments for the axis, at most `most` of them. */
export function ticksOf({ fromMs, toMs }: Range, most: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 108e5, 216e5, 864e5];
  const length = Math.max(1, toMs - fromMs);
  const step = steps.find((size) => length / size <= most) ?? Math.ceil(length / most / 864e5) * 864e5;
  const ticks: number[] = [];
  for (let at = 0; at <= length; at += step) ticks.push(fromMs + at);
  return ticks;
}
