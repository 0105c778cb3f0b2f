import type { RunTask, RunTree } from "@/shared/api/plan-runs";

/** One line of the chart; a phase has neither bar. */
export interface ScheduleRow {
  id: string;
  label: string;
  task: RunTask | null;
  planned: Bar | null;
  actual: Bar | null;
  /** How much later it ended, or is by now, than planned; negative when earlier, null when it has not begun. */
  lateMs: number | null;
}

export interface Bar {
  fromMs: number;
  toMs: number;
}

/** The lines in the plan's order: what was planned, and what has happened until now. */
export function scheduleOf(tree: RunTree, nowMs: number): ScheduleRow[] {
  return tree.phases.flatMap((phase) => [
    { id: phase.phase_id, label: phase.name || phase.phase_id, task: null, planned: null, actual: null, lateMs: null },
    ...phase.tasks.map((task) => rowOf(task, nowMs)),
  ]);
}

function rowOf(task: RunTask, nowMs: number): ScheduleRow {
  const planned = { fromMs: Date.parse(task.planned_start), toMs: Date.parse(task.planned_finish) };
  const actual =
    task.started_at === null
      ? null
      : { fromMs: Date.parse(task.started_at), toMs: task.completed_at === null ? nowMs : Date.parse(task.completed_at) };
  return { id: task.task_id, label: task.title || task.task_id, task, planned, actual, lateMs: actual && actual.toMs - planned.toMs };
}

/** From the first to the last moment that has to be drawn. */
export function spanOf(rows: readonly ScheduleRow[], nowMs: number): Bar {
  const bars = rows.flatMap((row) => [row.planned, row.actual]).filter((bar) => bar !== null);
  const fromMs = bars.reduce((least, bar) => Math.min(least, bar.fromMs), nowMs);
  const toMs = bars.reduce((most, bar) => Math.max(most, bar.toMs), nowMs);
  return { fromMs, toMs: Math.max(toMs, fromMs + 60_000) };
}
