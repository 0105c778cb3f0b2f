import { describe, expect, it } from "vitest";

import { attemptsOf, textOf } from "@/features/executions/one/attempts";
import { makeEvent } from "@/shared/api/fakes";

const of = (event_type: string, fields = {}) => makeEvent({ event_type, task_id: "tsk_1", ...fields });

describe("attemptsOf", () => {
  it("reads a failure and the attempt that went well after it", () => {
    const log = [
      of("task_created"),
      of("task_started"),
      of("subtask_complete", { subtask_id: "read", output_data: 3 }),
      of("task_retrying", { error_type: "TimeoutError", error_message: "too slow" }),
      of("task_started"),
      of("task_complete", { output_data: { sent: true } }),
      of("task_started", { task_id: "tsk_2" }),
    ];

    const attempts = attemptsOf(log, "tsk_1");

    expect(attempts.map(({ number, end, error, output }) => ({ number, end, error, output }))).toEqual([
      { number: 1, end: "failed", error: "TimeoutError: too slow", output: null },
      { number: 2, end: "complete", error: null, output: { sent: true } },
    ]);
    expect(attempts[0]?.steps).toEqual([{ name: "read", output: 3 }]);
    expect(textOf(attempts[1]!)).toContain('"sent": true');
  });

  it("keeps the wait as the end of an attempt, whatever comes before the next one", () => {
    const log = [of("task_started"), of("task_blocked"), of("task_queued"), of("task_started")];

    expect(attemptsOf(log, "tsk_1").map(({ end }) => end)).toEqual(["waits", "runs"]);
  });
});
