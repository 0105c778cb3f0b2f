import { useMutation, useQueryClient } from "@tanstack/react-query";

import type { Agent } from "@/shared/api/agents";
import { agentKeys } from "@/shared/api/agents";
import { answerOf, api } from "@/shared/api/client";

export interface NewWorker {
  name: string;
  capabilities: string[];
  agent_id?: string;
  role?: string;
  webhook_url?: string;
  model?: string;
}

/** The only answer that holds the key. */
export interface RegisteredWorker {
  agent_id: string;
  name: string;
  api_key: string;
  webhook_secret?: string;
  poll_endpoint: string;
}

export function useRegisterWorker() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (worker: NewWorker) => answerOf<RegisteredWorker>(api.POST("/api/v1/agents/register", { body: worker as never })),
    onSuccess: () => client.invalidateQueries({ queryKey: agentKeys.all }),
  });
}

/** Who can be given the work of plans now. */
export function activeWorkers(agents: readonly Agent[]): Agent[] {
  return agents.filter((agent) => agent.is_worker && agent.is_active);
}

/** The actions that nobody of these can do; people do those of the action `human`. */
export function actionsNobodyDoes(actions: readonly string[], workers: readonly Agent[]): string[] {
  const known = new Set(workers.flatMap((worker) => worker.capabilities?.map((one) => one.action) ?? []));
  if (known.has("*")) return [];
  return [...new Set(actions)].filter((action) => action !== "human" && !known.has(action)).sort();
}
