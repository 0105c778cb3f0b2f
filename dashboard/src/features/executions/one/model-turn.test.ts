import { describe, expect, it } from "vitest";

import { readTurn, turnsOf } from "@/features/executions/one/model-turn";
import { makeTask } from "@/shared/api/fakes";
import type { Subtask } from "@/shared/api/wire";

const turn = (name: string, started_at: string): Subtask => ({
  subtask_id: name,
  name,
  status: "COMPLETE",
  attempt: 1,
  started_at,
  completed_at: started_at,
  result_data: {
    model_used: "claude-haiku",
    usage: { tokens_input: 7, tokens_output: 2, cache_read_tokens: 3, estimated_cost: 0.5 },
    result: { content: "", parts: [{ type: "tool_call", name: "calculator", arguments: { a: 1 } }] },
  },
});

describe("model turns", () => {
  it("are read with their tool calls, tokens and price", () => {
    expect(readTurn(turn("turn:1", "2026-01-01"))).toMatchObject({
      model: "claude-haiku",
      tokensInput: 7,
      cacheReadTokens: 3,
      costUsd: 0.5,
      content: null,
      toolCalls: [{ name: "calculator", arguments: { a: 1 } }],
    });
  });

  it("stand in the order in which they began; other steps are no turns", () => {
    const send = { ...turn("send", "2026-01-01"), result_data: { sent: true } };
    const tasks = [makeTask({ subtasks: [turn("b", "2026-01-03"), send] }), makeTask({ subtasks: [turn("a", "2026-01-02")] })];

    expect(turnsOf(tasks).map(({ step }) => step.name)).toEqual(["a", "b"]);
  });
});
