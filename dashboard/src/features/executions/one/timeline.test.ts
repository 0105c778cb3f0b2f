import { describe, expect, it } from "vitest";

import { ticksOf, timelinesOf } from "@/features/executions/one/timeline";
import { makeEvent } from "@/shared/api/fakes";

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
const step = (seq: number, event_type: string, fields = {}) =>
  makeEvent({ seq, event_type, task_id: "tsk_1", timestamp: at(seq), ...fields });

describe("timelinesOf", () => {
  it("shows queue, attempts, the wait for a retry and the wait for a person", () => {
    const log = [
      step(1, "task_created"),
      step(2, "task_started"),
      step(3, "task_retrying"),
      step(4, "task_started"),
      step(5, "task_blocked", { human_review_required: true }),
      step(6, "task_queued"),
      step(7, "task_started"),
      step(8, "task_complete"),
    ];

    const timeline = timelinesOf(log).get("tsk_1");

    expect(timeline?.spans.map((span) => `${span.kind} ${span.attempt}`)).toEqual([
      "queued 0", "running 1", "retry 1", "running 2", "person 2", "queued 2", "running 3",
    ]);
    expect(timeline?.failedAtMs).toEqual([3_000]);
    expect(timeline?.spans.at(-1)?.toMs).toBe(8_000);
  });

  it("leaves the last span open while the task goes on", () => {
    expect(timelinesOf([step(1, "task_created")]).get("tsk_1")?.spans[0]?.toMs).toBeNull();
  });
});

describe("ticksOf", () => {
  it("chooses round steps", () => {
    expect(ticksOf({ fromMs: 0, toMs: 7_100 }, 8)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000]);
  });
});
