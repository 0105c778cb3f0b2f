import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import { executionKeys } from "@/shared/api/executions";
import type { PlanSubtask } from "@/shared/api/plans";
import { planKeys } from "@/shared/api/plans";
import type { Execution, SubtaskStatus, TaskStatus } from "@/shared/api/wire";

export interface RunSubtask {
  subtask_id: string;
  title: string;
  action: string;
  params: Record<string, unknown>;
  prerequisites: string[];
  status: SubtaskStatus | "BLOCKED" | "CANCELLED" | "WAITING";
  attempt: number;
  agent_id: string | null;
  error_type: string | null;
  error_message: string | null;
  result_data: unknown;
  started_at: string | null;
  completed_at: string | null;
}

export interface RunTask {
  task_id: string;
  /** The engine's task; null before the task begins. */
  execution_task_id: string | null;
  title: string;
  assignee_role: string | null;
  risk_tier: number;
  estimated_hours: number | null;
  status: TaskStatus | "WAITING";
  status_message: string | null;
  error_message: string | null;
  subtasks_total: number;
  subtasks_completed: number;
  progress_percent: number;
  started_at: string | null;
  completed_at: string | null;
  planned_start: string;
  planned_finish: string;
  is_critical: boolean;
  subtasks: RunSubtask[];
}

export interface RunPhase {
  phase_id: string;
  name: string;
  tasks: RunTask[];
}

/** A plan with what an execution has made of it. */
export interface RunTree {
  plan_id: string;
  title: string;
  goal: string;
  phases: RunPhase[];
  critical_path: string[];
}

export function runTree(executionId: string) {
  return queryOptions({
    queryKey: executionKeys.tree(executionId),
    queryFn: ({ signal }) =>
      answerOf<RunTree>(api.GET("/api/v1/executions/{execution_id}/tree", { params: { path: { execution_id: executionId } }, signal })),
  });
}

export interface StartedPlan extends Execution {
  unsupported_actions: string[];
}

/** Starts a plan; `*` stands for every agent. */
export function useStartPlan(planId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (agentIds: string[]) => answerOf<StartedPlan>(api.POST("/api/v1/executions", { body: { plan_id: planId, agent_ids: agentIds } })),
    onSuccess: () => client.invalidateQueries({ queryKey: executionKeys.lists }),
  });
}

export interface Decomposition {
  decomposed_subtasks: { subtask_id: string; title: string; action: string }[];
  decomposition_confidence: number;
  human_review_required: boolean;
  notes: string;
  warnings: string[];
}

export interface TaskToSplit {
  task_id: string;
  title: string;
  description: string;
  assignee_role: string | null;
}

/** Has an agent split a task; the plan keeps the subtasks. */
export function useDecompose(planId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ agentId, task }: { agentId: string; task: TaskToSplit }) =>
      answerOf<Decomposition>(
        api.POST("/api/v1/agents/{agent_id}/decompose", { params: { path: { agent_id: agentId } }, body: { task, plan_id: planId } as never }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: planKeys.one(planId) }),
  });
}

/** Gives a task other subtasks; executions in which it has begun keep theirs. */
export function useEditSubtasks(planId: string, taskId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (subtasks: Partial<PlanSubtask>[]) =>
      answerOf<unknown>(
        api.PUT("/api/v1/plans/{plan_id}/tasks/{task_id}/subtasks", {
          params: { path: { plan_id: planId, task_id: taskId } },
          body: { subtasks } as never,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: planKeys.one(planId) }),
  });
}
