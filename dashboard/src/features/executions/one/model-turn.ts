import type { Subtask } from "@/shared/api/wire";

export interface ModelTurn {
  model: string;
  tokensInput: number;
  tokensOutput: number;
  cacheReadTokens: number;
  costUsd: number;
  unpriced: boolean;
  content: string | null;
}

interface RecordedResult {
  model_used?: string;
  result?: { content?: unknown };
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
    content: typeof content === "string" ? content : null,
  };
}
