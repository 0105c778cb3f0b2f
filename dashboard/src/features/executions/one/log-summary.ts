import type { LogEvent } from "@/shared/api/wire";

export interface SeenEvents {
  /** How often each domain event was recorded. */
  counts: ReadonlyMap<string, number>;
  /** The event that started it. */
  root: LogEvent | undefined;
  /** Recorded events that no task took: the ends. */
  ends: LogEvent[];
}

export function isDomainEvent(event: LogEvent): boolean {
  return event.event_type === "event_recorded" || event.event_type === "execution_created";
}

/** Reads from the log which domain events there were and which of them led nowhere. */
export function summarizeLog(log: readonly LogEvent[]): SeenEvents {
  const counts = new Map<string, number>();
  const taken = new Set<number>();
  let root: LogEvent | undefined;
  for (const event of log) {
    if (event.event_type === "execution_created") root = event;
    if (isDomainEvent(event) && event.name !== null) counts.set(event.name, (counts.get(event.name) ?? 0) + 1);
    const output = event.output_data as { event_seq?: number; received?: Record<string, number[]> } | null;
    if (event.event_type === "task_created" && typeof output?.event_seq === "number") taken.add(output.event_seq);
    if (event.event_type === "fan_in_updated") Object.values(output?.received ?? {}).flat().forEach((seq) => taken.add(seq));
  }
  const ends = log.filter((event) => event.event_type === "event_recorded" && !taken.has(event.seq));
  return { counts, root, ends };
}
