import type { ApprovalStatus, ExecutionStatus } from "@/shared/api/wire";

/** What an address may carry after the question mark. Whatever else it has is dropped. */
type Raw = Record<string, unknown>;

const EXECUTION_STATUSES: readonly ExecutionStatus[] = [
  "CREATED", "QUEUED", "RUNNING", "BLOCKED", "PAUSED", "COMPLETED", "FAILED", "CANCELLED",
];
const APPROVAL_STATUSES: readonly ApprovalStatus[] = [
  "pending", "approved", "rejected", "revision_requested", "expired", "cancelled", "revoked", "decided",
];
export const EXECUTION_TABS = ["plan", "schedule", "graph", "timeline", "tasks", "events", "turns", "data"] as const;
export const MANIFEST_TABS = ["graph", "source", "revisions", "send"] as const;
export const PLAN_TABS = ["gantt", "tree", "problems"] as const;
export const COST_GROUPS = ["day", "agent", "model", "execution"] as const;

function text(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function oneOf<T extends string>(raw: Raw, key: string, allowed: readonly T[]): T | undefined {
  return allowed.find((value) => value === raw[key]);
}

export interface ExecutionsSearch {
  status?: ExecutionStatus;
  kind?: string;
  text?: string;
}

export function readExecutionsSearch(raw: Raw): ExecutionsSearch {
  return { status: oneOf(raw, "status", EXECUTION_STATUSES), kind: text(raw, "kind"), text: text(raw, "text") };
}

export interface ExecutionSearch {
  tab?: (typeof EXECUTION_TABS)[number];
  task?: string;
  handler?: string;
}

export function readExecutionSearch(raw: Raw): ExecutionSearch {
  return { tab: oneOf(raw, "tab", EXECUTION_TABS), task: text(raw, "task"), handler: text(raw, "handler") };
}

export interface InboxSearch {
  status?: ApprovalStatus | "all";
  approval?: string;
}

export function readInboxSearch(raw: Raw): InboxSearch {
  return { status: oneOf(raw, "status", [...APPROVAL_STATUSES, "all"] as const), approval: text(raw, "approval") };
}

export interface ManifestSearch {
  tab?: (typeof MANIFEST_TABS)[number];
}

export function readManifestSearch(raw: Raw): ManifestSearch {
  return { tab: oneOf(raw, "tab", MANIFEST_TABS) };
}

export interface PlanSearch {
  tab?: (typeof PLAN_TABS)[number];
  task?: string;
  start?: string;
}

export function readPlanSearch(raw: Raw): PlanSearch {
  const start = text(raw, "start");
  return { tab: oneOf(raw, "tab", PLAN_TABS), task: text(raw, "task"), start: start && /^\d{4}-\d\d-\d\d$/.test(start) ? start : undefined };
}

export interface ChatSearch {
  project?: string;
  conversation?: string;
}

export function readChatSearch(raw: Raw): ChatSearch {
  return { project: text(raw, "project"), conversation: text(raw, "conversation") };
}

export interface CostsSearch {
  by?: (typeof COST_GROUPS)[number];
}

export function readCostsSearch(raw: Raw): CostsSearch {
  return { by: oneOf(raw, "by", COST_GROUPS) };
}
