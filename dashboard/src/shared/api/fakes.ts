/** Typed examples for tests; a test names only the fields that matter to it. */
import type { PlannedTask, PlanTask } from "@/shared/api/plans";
import type { ApprovalDetail, ApprovalItem, Execution, LogEvent, Task } from "@/shared/api/wire";

const AT = "2026-11-20T10:00:00.000Z";

export function makeExecution(fields: Partial<Execution> = {}): Execution {
  return {
    execution_id: "exe_1",
    kind: "manifest",
    name: "lead-campaign",
    manifest_id: "mfr_1",
    plan_id: null,
    agent_id: null,
    requested_by: "owner",
    retry_of: null,
    status: "RUNNING",
    status_message: null,
    progress: { tasks_total: 2, tasks_completed: 1, percent: 50 },
    pause_requested: false,
    cancel_requested: false,
    created_at: AT,
    started_at: AT,
    completed_at: null,
    updated_at: AT,
    ...fields,
  };
}

export function makeTask(fields: Partial<Task> = {}): Task {
  return {
    task_id: "tsk_1",
    handler: "import-leads",
    executor: "automated",
    status: "COMPLETE",
    status_message: null,
    event_id: "evt_1_1",
    attempt: 1,
    max_attempts: 4,
    priority: 100,
    due_at: AT,
    result_data: null,
    error_type: null,
    error_message: null,
    created_at: AT,
    started_at: AT,
    completed_at: AT,
    subtasks: [],
    ...fields,
  };
}

export function makeEvent(fields: Partial<LogEvent> = {}): LogEvent {
  return {
    event_id: `evt_1_${fields.seq ?? 1}`,
    execution_id: "exe_1",
    seq: 1,
    event_type: "task_created",
    name: null,
    task_id: null,
    subtask_id: null,
    agent_timestamp: null,
    agent_id: null,
    status: null,
    message: null,
    output_data: null,
    error_type: null,
    error_message: null,
    human_review_required: false,
    timestamp: AT,
    ...fields,
  };
}

export function makeItem(fields: Partial<ApprovalItem> = {}): ApprovalItem {
  return {
    item_id: "itm_1",
    execution_id: "exe_1",
    task_id: "tsk_1",
    title: "Send an e-mail",
    data: { subject: "Hello", body: "Good day.", score: 7 },
    digest: "d1",
    status: "pending",
    edits: null,
    feedback: null,
    decided_by: null,
    decided_at: null,
    ...fields,
  };
}

export function makeApproval(fields: Partial<ApprovalDetail> = {}): ApprovalDetail {
  const items = fields.items ?? [makeItem()];
  return {
    approval_id: "apr_1",
    handler: "approve-email",
    bundle_key: null,
    title: "Send an e-mail",
    status: "pending",
    digest: "bundle-digest",
    items_total: items.length,
    items_open: items.filter((item) => item.status === "pending").length,
    ready: true,
    instructions: null,
    form: null,
    editable: ["subject", "body"],
    summary: ["score"],
    next_step_options: [],
    who: null,
    requested_by: null,
    assigned_to: [],
    reminders_sent: 0,
    created_at: AT,
    expires_at: null,
    escalated_at: null,
    decided_at: null,
    decided_by: null,
    decision: null,
    option: null,
    feedback: null,
    ...fields,
    items,
  };
}

export function makePlanTask(fields: Partial<PlanTask> = {}): PlanTask {
  return {
    task_id: "buy",
    title: "Buy wood",
    description: "",
    assignee_role: null,
    estimated_hours: 8,
    priority: 1,
    risk_tier: 1,
    acceptance_criteria: [],
    is_blocking: false,
    prerequisites: [],
    subtasks: [],
    ...fields,
  };
}

export function makePlannedTask(fields: Partial<PlannedTask> = {}): PlannedTask {
  return {
    task_id: "buy",
    phase_id: "build",
    planned_start: AT,
    planned_finish: AT,
    total_float_hours: 0,
    is_critical: true,
    ...fields,
  };
}
