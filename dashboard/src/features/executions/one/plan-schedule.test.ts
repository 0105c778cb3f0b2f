import { expect, test } from "vitest";

import { scheduleOf, spanOf } from "@/features/executions/one/plan-schedule";
import { makeRunTask, makeRunTree } from "@/shared/api/fakes-runs";

const NOW = Date.parse("2026-11-20T12:00:00Z");

test("a task at work reaches until now, one that has ended until its end, one that has not begun has no bar", () => {
  const tree = makeRunTree([
    makeRunTask({ task_id: "a", started_at: "2026-11-20T09:00:00Z", completed_at: "2026-11-20T10:00:00Z", planned_finish: "2026-11-20T11:00:00Z" }),
    makeRunTask({ task_id: "b", started_at: "2026-11-20T11:00:00Z", planned_finish: "2026-11-20T11:30:00Z" }),
    makeRunTask({ task_id: "c" }),
  ]);
  const rows = scheduleOf(tree, NOW);
  expect(rows.map((row) => row.id)).toEqual(["p", "a", "b", "c"]);
  expect(rows.map((row) => row.lateMs)).toEqual([null, -3_600_000, 1_800_000, null]);
  expect(rows[2]?.actual?.toMs).toBe(NOW);
});

test("the span holds planned and actual times and now", () => {
  const rows = scheduleOf(makeRunTree([makeRunTask({ planned_start: "2026-11-23T09:00:00Z", planned_finish: "2026-11-24T09:00:00Z" })]), NOW);
  expect(spanOf(rows, NOW)).toEqual({ fromMs: NOW, toMs: Date.parse("2026-11-24T09:00:00Z") });
});
