import type { Subtask, Task } from "@/shared/api/wire";

export interface ModelTurn {
  model: string;
  tokensInput: number;
  tokensOutput: number;
  cacheReadTokens: number;
  costUsd: number;
  unpriced: boolean;
  content: string | null;
  toolCalls: ToolCall[];
}

export interface ToolCall {
  name: string;
  arguments: unknown;
}

interface RecordedResult {
  model_used?: string;
  result?: { content?: unknown; parts?: unknown };
  usage?: {
    tokens_input?: number;
    tokens_output?: number;
    cache_read_tokens?: number;
    estimated_cost?: number;
    unpriced?: boolean;
  };
}

/** Reads a step's result as a model's answer; null when it is something else. */
export function readTurn(step: Pick<Subtask, "result_data">): ModelTurn | null {
  const recorded = step.result_data as RecordedResult | null;
  if (typeof recorded !== "object" || recorded?.usage === undefined || typeof recorded.model_used !== "string") return null;
  const { usage } = recorded;
  const content = recorded.result?.content;
  return {
    model: recorded.model_used,
    tokensInput: usage.tokens_input ?? 0,
    tokensOutput: usage.tokens_output ?? 0,
    cacheReadTokens: usage.cache_read_tokens ?? 0,
    costUsd: usage.estimated_cost ?? 0,
    unpriced: usage.unpriced === true,
    content: typeof content === "string" && content !== "" ? content : null,
    toolCalls: toolCallsOf(recorded.result?.parts),
  };
}

function toolCallsOf(parts: unknown): ToolCall[] {
  if (!Array.isArray(parts)) return [];
  const known = parts as { type?: unknown; name?: unknown; arguments?: unknown }[];
  return known.filter((part) => part.type === "tool_call").map((part) => ({ name: String(part.name), arguments: part.arguments }));
}

export interface TurnOfTask {
  task: Task;
  step: Subtask;
  turn: ModelTurn;
}

/** Every turn of every model in the order in which they began. */
export function turnsOf(tasks: readonly Task[]): TurnOfTask[] {
  const turns = tasks.flatMap((task) =>
    task.subtasks.flatMap((step) => {
      const turn = readTurn(step);
      return turn === null ? [] : [{ task, step, turn }];
    }),
  );
  return turns.sort((a, b) => (a.step.started_at ?? "").localeCompare(b.step.started_at ?? ""));
}
