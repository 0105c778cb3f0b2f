import type { Problem } from "@/shared/api/api-error";

/**
 * What the server answers. Its OpenAPI describes addresses, parameters and bodies, but no answers;
 * `e2e/contract.spec.ts` compares these shapes with a real server.
 */
export type ExecutionStatus =
  | "CREATED"
  | "QUEUED"
  | "RUNNING"
  | "BLOCKED"
  | "PAUSED"
  | "COMPLETED"
  | "FAILED"
  | "CANCELLED";
export type TaskStatus = "QUEUED" | "RUNNING" | "BLOCKED" | "COMPLETE" | "ERROR" | "SKIPPED" | "CANCELLED";
export type SubtaskStatus = "QUEUED" | "RUNNING" | "COMPLETE" | "ERROR" | "SKIPPED";
export type ExecutorKind = "agent" | "human" | "automated";
export type ApprovalStatus =
  | "pending"
  | "approved"
  | "rejected"
  | "revision_requested"
  | "expired"
  | "cancelled"
  | "revoked"
  | "decided";

export interface Listing<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Execution {
  execution_id: string;
  kind: string;
  name: string;
  manifest_id: string | null;
  plan_id: string | null;
  agent_id: string | null;
  requested_by: string | null;
  retry_of: string | null;
  status: ExecutionStatus;
  status_message: string | null;
  progress: { tasks_total: number; tasks_completed: number; percent: number };
  pause_requested: boolean;
  cancel_requested: boolean;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  updated_at: string;
}

export interface Costs {
  calls: number;
  cost_usd: number;
  tokens_input: number;
  tokens_output: number;
  total_tokens: number;
}

export interface Subtask {
  subtask_id: string;
  name: string;
  status: SubtaskStatus;
  attempt: number;
  result_data: unknown;
  started_at: string | null;
  completed_at: string | null;
}

export interface Task {
  task_id: string;
  handler: string;
  executor: ExecutorKind;
  status: TaskStatus;
  status_message: string | null;
  event_id: string;
  attempt: number;
  max_attempts: number;
  priority: number;
  due_at: string | null;
  result_data: unknown;
  error_type: string | null;
  error_message: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  subtasks: Subtask[];
}

export interface ExecutionDetail extends Execution {
  costs: Costs & { models: string; note: string | null };
  tasks: Task[];
  tasks_truncated: boolean;
}

export interface LogEvent {
  event_id: string;
  execution_id: string;
  seq: number;
  event_type: string;
  name: string | null;
  /** The task of the execution. The server names a plan's task here and this one in `execution_task_id`. */
  task_id: string | null;
  execution_task_id?: string | null;
  subtask_id: string | null;
  agent_id: string | null;
  /** When it happened by the agent worker's own clock. */
  agent_timestamp: string | null;
  status: string | null;
  message: string | null;
  output_data: unknown;
  error_type: string | null;
  error_message: string | null;
  human_review_required: boolean;
  timestamp: string;
  /** Came over a stream, which leaves out data; the log is read again soon. */
  is_partial?: boolean;
}

export interface ApprovalItem {
  item_id: string;
  execution_id: string;
  task_id: string;
  title: string;
  data: Record<string, unknown>;
  digest: string;
  status: ApprovalStatus;
  edits: Record<string, unknown> | null;
  feedback: string | null;
  decided_by: string | null;
  decided_at: string | null;
}

/** A JSON Schema as far as the dashboard draws forms from it. */
export interface FormSchema {
  type?: string;
  title?: string;
  description?: string;
  properties?: Record<string, FormSchema>;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
}

export interface Approval {
  approval_id: string;
  handler: string;
  bundle_key: string | null;
  title: string;
  status: ApprovalStatus;
  digest: string;
  items_total: number;
  items_open: number;
  ready: boolean;
  instructions: string | null;
  form: FormSchema | null;
  editable: string[];
  summary: string[];
  next_step_options: string[];
  who: { users: string[]; roles: string[]; not_requester: boolean } | null;
  requested_by: string | null;
  assigned_to: string[];
  reminders_sent: number;
  created_at: string;
  expires_at: string | null;
  escalated_at: string | null;
  decided_at: string | null;
  decided_by: string | null;
  decision: string | null;
  option: string | null;
  feedback: string | null;
}

export interface ApprovalDetail extends Approval {
  items: ApprovalItem[];
}

export interface Manifest {
  manifest_id: string;
  name: string;
  description: string | null;
  revision: number;
  counts: { agents: number; functions: number; humans: number; events: number };
  warnings: Problem[];
}

export interface ManifestDetail extends Manifest {
  source: string;
  handlers: { name: string; executor: ExecutorKind }[];
  revisions: { manifest_id: string; revision: number; created_at: string }[];
}

export interface ManifestRevision {
  manifest_id: string;
  revision: number;
  created_at: string;
  source: string;
}

export interface LedgerLine extends Costs {
  key: string;
  /** An agent's name where the key is its id. */
  name: string;
  reserved_usd: number;
  flagged_calls: number;
  unpriced_calls: number;
}

export interface Ledger {
  items: LedgerLine[];
  models: string;
  note: string | null;
}

/** A limit of a manifest in force; sums are null where each call, execution or agent is counted by itself. */
export interface Budget {
  manifest: string;
  scope: "call" | "execution" | "agent" | "owner" | "day";
  name: string | null;
  limit_usd: number | null;
  limit_tokens: number | null;
  on_limit: "stop" | "approve" | "fallback";
  settled_usd: number | null;
  reserved_usd: number | null;
  tokens: number | null;
}

export interface CostSuggestion {
  kind: string;
  agent: string;
  model: string;
  proposal: string;
  current_usd: number;
  estimated_usd: number;
  saving_usd: number;
  saving_percent: number;
  numbers: Record<string, unknown>;
  caution: string | null;
}

export interface CostSuggestions {
  items: CostSuggestion[];
  days: number;
  note: string | null;
}
