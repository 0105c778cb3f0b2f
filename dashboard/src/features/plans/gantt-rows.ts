import type { PlanDependency, PlannedTask, PlanPhase, PlanTask } from "@/shared/api/plans";

/** The height of a line, in pixels. */
export const ROW = 30;

/** One line of the chart: a phase, or a task of a phase that is open. */
export interface GanttRow {
  id: string;
  label: string;
  kind: "phase" | "task";
  fromMs: number;
  toMs: number;
  isCritical: boolean;
  floatHours: number;
  task: PlanTask | null;
  /** Of a phase: how many tasks it has. */
  size: number;
}

export interface Span {
  fromMs: number;
  toMs: number;
}

/** The lines in order. A phase spans its tasks; those of closed phases are left out. */
export function rowsOf(phases: readonly PlanPhase[], planned: ReadonlyMap<string, PlannedTask>, closed: ReadonlySet<string>): GanttRow[] {
  return phases.flatMap((phase) => {
    const tasks = phase.tasks.flatMap((task) => {
      const times = planned.get(task.task_id);
      return times === undefined ? [] : [rowOf(task, times)];
    });
    const span = spanOf(tasks) ?? { fromMs: 0, toMs: 0 };
    const head: GanttRow = {
      ...span, id: phase.phase_id, label: phase.name || phase.phase_id, kind: "phase", task: null, size: tasks.length,
      isCritical: tasks.some((task) => task.isCritical), floatHours: 0,
    };
    return closed.has(phase.phase_id) ? [head] : [head, ...tasks];
  });
}

function rowOf(task: PlanTask, times: PlannedTask): GanttRow {
  return {
    id: task.task_id, label: task.title || task.task_id, kind: "task", task, size: 0,
    fromMs: Date.parse(times.planned_start), toMs: Date.parse(times.planned_finish),
    isCritical: times.is_critical, floatHours: times.total_float_hours,
  };
}

export function spanOf(rows: readonly Span[]): Span | null {
  if (rows.length === 0) return null;
  return {
    fromMs: rows.reduce((least, row) => Math.min(least, row.fromMs), Infinity),
    toMs: rows.reduce((most, row) => Math.max(most, row.toMs), -Infinity),
  };
}

/** An arrow between two lines that are there. */
export interface Arrow {
  fromRow: number;
  toRow: number;
  /** Which end of each bar it touches. */
  leavesEnd: boolean;
  entersEnd: boolean;
  isCritical: boolean;
}

export function arrowsOf(rows: readonly GanttRow[], dependencies: readonly PlanDependency[]): Arrow[] {
  const indexOf = new Map(rows.map((row, index) => [row.id, index]));
  const all = new Map<string, PlanDependency>(dependencies.map((one) => [`${one.from} ${one.to} ${one.type}`, one]));
  for (const row of rows) {
    for (const before of row.task?.prerequisites ?? []) {
      const key = `${before} ${row.id} finish_to_start`;
      if (!all.has(key)) all.set(key, { from: before, to: row.id, type: "finish_to_start", lag_hours: 0, reason: "" });
    }
  }
  return [...all.values()].flatMap(({ from, to, type }) => {
    const fromRow = indexOf.get(from);
    const toRow = indexOf.get(to);
    if (fromRow === undefined || toRow === undefined) return [];
    const isCritical = [fromRow, toRow].every((index) => rows[index]?.isCritical === true && rows[index].kind === "task");
    return [{ fromRow, toRow, leavesEnd: type.startsWith("finish"), entersEnd: type.endsWith("finish"), isCritical }];
  });
}
