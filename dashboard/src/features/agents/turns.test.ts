import { describe, expect, it } from "vitest";

import type { Turn } from "@/features/agents/turns";
import { addEvent } from "@/features/agents/turns";
import type { StreamEvent } from "@/shared/api/event-stream";

const replay = (events: StreamEvent[]) => events.reduce<Turn[]>(addEvent, []);

describe("addEvent", () => {
  it("puts a tool's result to its call and shows the answer once", () => {
    const turns = replay([
      { event: "task.started", data: {} },
      { event: "task.tool_use", data: { call_id: "c1", tool: "calculator", arguments: { a: 1 } } },
      { event: "task.tool_result", data: { call_id: "c1", success: true, result: 10 } },
      { event: "task.progress", data: { text: "It " } },
      { event: "task.progress", data: { text: "is 10." } },
      { event: "task.completed", data: { output: { response: "It is 10." }, tokens_used: 7, cost_usd: 0.1 } },
    ]);

    expect(turns).toEqual([
      { kind: "tool", callId: "c1", tool: "calculator", arguments: { a: 1 }, outcome: { success: true, result: 10 } },
      { kind: "answer", text: "It is 10.", tokens: 7, costUsd: 0.1 },
    ]);
  });

  it("says why a run failed", () => {
    expect(replay([{ event: "task.failed", data: { error: "no such model" } }])).toEqual([{ kind: "failure", text: "no such model" }]);
  });
});
