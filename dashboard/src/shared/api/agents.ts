import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { toApiError } from "@/shared/api/api-error";
import { answerOf, api } from "@/shared/api/client";
import type { StreamEvent } from "@/shared/api/event-stream";
import { eventsOf } from "@/shared/api/event-stream";

export interface Agent {
  id: string;
  name: string;
  description: string;
  role: string;
  instructions: string;
  model: string;
  fallback_models: string[];
  tools: Record<string, unknown>;
  limits: Record<string, unknown>;
  is_active: boolean;
  has_api_key: boolean;
  revision: number;
  created_at: string;
  updated_at: string;
  /** Whether it is an agent worker: a program elsewhere that asks for work. The next fields are there for workers only. */
  is_worker: boolean;
  capabilities?: Capability[];
  last_heartbeat?: string | null;
  poll_endpoint?: string;
  webhook_url?: string | null;
}

export interface Capability {
  action: string;
  description?: string;
}

export interface AgentFigures {
  runs: number;
  completed: number;
  failed: number;
  success_rate: number | null;
  mean_seconds: number | null;
  model_calls: number;
  tokens_used: number;
  cost_usd: number;
  mean_cost_usd: number | null;
  errors_by_type: Record<string, number>;
  tools: { tool: string; outcome: string; calls: number }[];
}

export interface NewAgent {
  name: string;
  model: string;
  instructions: string;
  tools: Record<string, boolean>;
}

export const agentKeys = {
  all: ["agents"] as const,
  one: (id: string) => ["agents", "one", id] as const,
  figures: (id: string) => ["agents", "figures", id] as const,
};

export function listAgents() {
  return queryOptions({
    queryKey: agentKeys.all,
    queryFn: ({ signal }) => answerOf<Agent[]>(api.GET("/api/v1/agents", { signal })),
  });
}

export function oneAgent(id: string) {
  return queryOptions({
    queryKey: agentKeys.one(id),
    queryFn: ({ signal }) => answerOf<Agent>(api.GET("/api/v1/agents/{agent_id}", { params: { path: { agent_id: id } }, signal })),
  });
}

export function agentFigures(id: string) {
  return queryOptions({
    queryKey: agentKeys.figures(id),
    queryFn: ({ signal }) =>
      answerOf<AgentFigures>(api.GET("/api/v1/agents/{agent_id}/metrics", { params: { path: { agent_id: id } }, signal })),
  });
}

export function useCreateAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (agent: NewAgent) => answerOf<Agent>(api.POST("/api/v1/agents", { body: agent as never })),
    onSuccess: () => client.invalidateQueries({ queryKey: agentKeys.all }),
  });
}

/** Changes only what is named; runs that have begun keep what they began with. */
export function useChangeAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: { is_active?: boolean; instructions?: string; model?: string }) =>
      answerOf<Agent>(api.PUT("/api/v1/agents/{agent_id}", { params: { path: { agent_id: id } }, body: change as never })),
    onSuccess: () => client.invalidateQueries({ queryKey: agentKeys.all }),
  });
}

/** Runs the agent and yields what happens while it happens. A reader who leaves does not end the run. */
export async function* runAgent(id: string, input: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { response, error } = await api.POST("/api/v1/agents/{agent_id}/execute", {
    params: { path: { agent_id: id } },
    body: { input, stream: true } as never,
    headers: { Accept: "text/event-stream" },
    parseAs: "stream",
    signal,
  });
  if (!response.ok) throw toApiError(error, response.status);
  yield* eventsOf(response);
}
