/** Typed examples of plans at work; a test names only the fields that matter to it. */
import type { Agent } from "@/shared/api/agents";
import type { RunSubtask, RunTask, RunTree } from "@/shared/api/plan-runs";

export function makeRunSubtask(fields: Partial<RunSubtask> = {}): RunSubtask {
  return {
    subtask_id: "s", title: "Walk the border", action: "human", params: {}, prerequisites: [], status: "WAITING", attempt: 0, agent_id: null,
    error_type: null, error_message: null, result_data: null, started_at: null, completed_at: null, ...fields,
  };
}

export function makeRunTask(fields: Partial<RunTask> = {}): RunTask {
  return {
    task_id: "t", execution_task_id: null, title: "Measure", assignee_role: null, risk_tier: 1, estimated_hours: 1, status: "WAITING",
    status_message: null, error_message: null, subtasks_total: 0, subtasks_completed: 0, progress_percent: 0, started_at: null, completed_at: null,
    planned_start: "2026-11-20T09:00:00Z", planned_finish: "2026-11-20T10:00:00Z", is_critical: false, subtasks: [], ...fields,
  };
}

export function makeRunTree(tasks: RunTask[]): RunTree {
  return { plan_id: "pln_1", title: "A new fence", goal: "", phases: [{ phase_id: "p", name: "Prepare", tasks }], critical_path: [] };
}

export function makeAgent(fields: Partial<Agent> = {}): Agent {
  return {
    id: "agt_1", name: "scout", description: "", role: "", instructions: "", model: "sonnet", fallback_models: [], tools: {}, limits: {},
    is_active: true, has_api_key: false, revision: 1, created_at: "2026-11-20T10:00:00.000Z", updated_at: "2026-11-20T10:00:00.000Z",
    is_worker: true, capabilities: [], last_heartbeat: null, ...fields,
  };
}
