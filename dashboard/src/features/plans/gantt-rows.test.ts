import { describe, expect, it } from "vitest";

import { ticksOf } from "@/features/plans/gantt-axis";
import { arrowsOf, rowsOf } from "@/features/plans/gantt-rows";
import { makePlannedTask, makePlanTask } from "@/shared/api/fakes";
import { titleOf } from "@/shared/api/plans";

const buy = makePlanTask({ task_id: "buy", title: "Buy wood" });
const set = makePlanTask({ task_id: "set", title: "Set posts", prerequisites: ["buy"] });
const phases = [{ phase_id: "build", name: "Build", duration_weeks: null, tasks: [buy, set] }];
const planned = new Map([
  ["buy", makePlannedTask({ task_id: "buy", planned_start: "2026-11-23T08:00:00Z", planned_finish: "2026-11-23T16:00:00Z" })],
  ["set", makePlannedTask({ task_id: "set", planned_start: "2026-11-24T08:00:00Z", planned_finish: "2026-11-25T16:00:00Z" })],
]);

describe("rowsOf", () => {
  it("lets a phase span its tasks", () => {
    const rows = rowsOf(phases, planned, new Set());

    expect(rows.map((row) => row.label)).toEqual(["Build", "Buy wood", "Set posts"]);
    expect(rows[0]).toMatchObject({ kind: "phase", fromMs: Date.parse("2026-11-23T08:00:00Z"), toMs: Date.parse("2026-11-25T16:00:00Z"), size: 2 });
  });

  it("leaves out the tasks of a closed phase, and their arrows", () => {
    const rows = rowsOf(phases, planned, new Set(["build"]));

    expect(rows).toHaveLength(1);
    expect(arrowsOf(rows, [])).toEqual([]);
  });
});

describe("arrowsOf", () => {
  it("draws a prerequisite once, though a dependency says the same", () => {
    const rows = rowsOf(phases, planned, new Set());
    const dependency = { from: "buy", to: "set", type: "finish_to_start", lag_hours: 0, reason: "" };

    expect(arrowsOf(rows, [dependency])).toEqual([{ fromRow: 1, toRow: 2, leavesEnd: true, entersEnd: false, isCritical: true }]);
  });
});

describe("ticksOf", () => {
  it.each([3, 30, 365, 3_650])("has a readable number of ticks for %d days", (days) => {
    const ticks = ticksOf({ fromMs: 0, toMs: days * 86_400_000 }, 900);

    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(18);
  });
});

describe("titleOf", () => {
  it("makes a title of a file's name", () => {
    expect(titleOf("new_fence-2026.zip")).toBe("new fence 2026");
    expect(titleOf(".json")).toBe("Plan");
  });
});
