import type { StreamEvent } from "@/shared/api/event-stream";

/** What the reader sees of a run, in the order in which it happened. */
export type Turn =
  | { kind: "text"; text: string }
  | { kind: "tool"; callId: string; tool: string; arguments: unknown; outcome: { success: boolean; result: unknown } | null }
  | { kind: "answer"; text: string; tokens: number; costUsd: number }
  | { kind: "waiting"; text: string }
  | { kind: "failure"; text: string };

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function failure(error: unknown): Turn {
  return { kind: "failure", text: error instanceof Error ? error.message : String(error) };
}

/** Text comes in pieces; what follows a piece belongs to it. */
function withText(turns: readonly Turn[], piece: string): Turn[] {
  const last = turns.at(-1);
  return last?.kind === "text" ? [...turns.slice(0, -1), { kind: "text", text: last.text + piece }] : [...turns, { kind: "text", text: piece }];
}

/** Adds an event of the stream; a tool's result goes to its call, the answer takes the place of the same text. */
export function addEvent(turns: readonly Turn[], { event, data }: StreamEvent): Turn[] {
  switch (event) {
    case "task.progress":
      return withText(turns, textOf(data.text));
    case "task.tool_use":
      return [...turns, { kind: "tool", callId: textOf(data.call_id), tool: textOf(data.tool), arguments: data.arguments, outcome: null }];
    case "task.tool_result":
      return turns.map((turn) =>
        turn.kind === "tool" && turn.callId === data.call_id
          ? { ...turn, outcome: { success: data.success === true, result: data.result ?? data.error } }
          : turn,
      );
    case "task.completed": {
      const text = textOf((data.output as { response?: unknown } | null)?.response);
      const before = turns.filter((turn, index) => !(index === turns.length - 1 && turn.kind === "text" && turn.text === text));
      return [...before, { kind: "answer", text, tokens: Number(data.tokens_used), costUsd: Number(data.cost_usd) }];
    }
    case "task.waiting":
      return [...turns, { kind: "waiting", text: textOf(data.message) || "It waits for a person." }];
    case "task.failed":
      return [...turns, { kind: "failure", text: textOf(data.error) }];
    default:
      return [...turns];
  }
}
