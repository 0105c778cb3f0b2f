import { describe, expect, it } from "vitest";

import { summarizeLog } from "@/features/executions/one/log-summary";
import { makeEvent } from "@/shared/api/fakes";

describe("summarizeLog", () => {
  it("counts domain events and finds the ones that led nowhere", () => {
    const log = [
      makeEvent({ seq: 1, event_type: "execution_created", name: "order.placed" }),
      makeEvent({ seq: 2, event_type: "task_created", name: "check", output_data: { event_seq: 1 } }),
      makeEvent({ seq: 3, event_type: "event_recorded", name: "order.checked" }),
      makeEvent({ seq: 4, event_type: "event_recorded", name: "order.checked" }),
      makeEvent({ seq: 5, event_type: "fan_in_updated", name: "report", output_data: { received: { "order.checked": [3] } } }),
    ];

    const seen = summarizeLog(log);

    expect(seen.root?.name).toBe("order.placed");
    expect([...seen.counts]).toEqual([["order.placed", 1], ["order.checked", 2]]);
    expect(seen.ends.map((event) => event.seq)).toEqual([4]);
  });
});
