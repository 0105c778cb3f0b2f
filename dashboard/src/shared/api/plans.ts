import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { Listing } from "@/shared/api/wire";

export interface PlanRow {
  plan_id: string;
  title: string;
  source: string;
  tasks_total: number;
  created_at: string;
}

/** One thing that the import left out or changed. */
export interface PlanProblem {
  place: string;
  rule: string;
  message: string;
  hint: string;
}

export interface PlanSubtask {
  subtask_id: string;
  title: string;
  description: string;
  action: string;
  params: Record<string, unknown>;
  success_criteria: string[];
}

export interface PlanTask {
  task_id: string;
  title: string;
  description: string;
  assignee_role: string | null;
  estimated_hours: number | null;
  priority: number;
  risk_tier: 1 | 2 | 3;
  acceptance_criteria: string[];
  is_blocking: boolean;
  prerequisites: string[];
  subtasks: PlanSubtask[];
}

export interface PlanPhase {
  phase_id: string;
  name: string;
  duration_weeks: number | null;
  tasks: PlanTask[];
}

export interface PlanDependency {
  from: string;
  to: string;
  type: string;
  lag_hours: number;
  reason: string;
}

export interface PlanSummary {
  plan_id: string;
  title: string;
  goal: string;
  source: string;
  phases_total: number;
  tasks_total: number;
  subtasks_total: number;
  dependencies_total: number;
  problems: PlanProblem[];
  created_at: string;
}

export interface PlanDetail extends PlanSummary {
  plan: {
    phases: PlanPhase[];
    dependencies: PlanDependency[];
    risks: { risk_id: string; description: string; mitigation: string }[];
  };
}

/** When a task is planned, and how much later it may start without making the plan longer. */
export interface PlannedTask {
  task_id: string;
  phase_id: string;
  planned_start: string;
  planned_finish: string;
  total_float_hours: number;
  is_critical: boolean;
}

export interface PlanSchedule {
  items: PlannedTask[];
  critical_path: string[];
  total_hours: number;
  start: string;
}

export interface ScheduleWish {
  /** A day such as 2026-11-30; today when absent. */
  start?: string;
  timezone: string;
}

export type PlanFormat = "json" | "csv" | "ical";

export const planKeys = {
  all: ["plans"] as const,
  list: ["plans", "list"] as const,
  one: (id: string) => ["plans", "one", id] as const,
  schedule: (id: string, wish: ScheduleWish) => ["plans", "schedule", id, wish] as const,
};

export function listPlans() {
  return queryOptions({
    queryKey: planKeys.list,
    queryFn: ({ signal }) => answerOf<Listing<PlanRow>>(api.GET("/api/v1/plans", { params: { query: { limit: 500 } }, signal })),
  });
}

export function onePlan(id: string) {
  return queryOptions({
    queryKey: planKeys.one(id),
    queryFn: ({ signal }) => answerOf<PlanDetail>(api.GET("/api/v1/plans/{plan_id}", { params: { path: { plan_id: id } }, signal })),
    staleTime: 60_000,
  });
}

export function planSchedule(id: string, wish: ScheduleWish) {
  return queryOptions({
    queryKey: planKeys.schedule(id, wish),
    queryFn: ({ signal }) =>
      answerOf<PlanSchedule>(api.GET("/api/v1/plans/{plan_id}/tasks", { params: { path: { plan_id: id }, query: wish }, signal })),
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
}

/** Imports a file as it is; what is wrong in it is in the plan's problems. */
export function useImportPlan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      const content = await file.arrayBuffer();
      return answerOf<PlanSummary>(
        api.POST("/api/v1/plans/import", {
          params: { query: { title: titleOf(file.name) } },
          body: content as never,
          bodySerializer: (raw) => raw as unknown as ArrayBuffer,
          headers: { "Content-Type": "application/octet-stream" },
        }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: planKeys.all }),
  });
}

/** What the plan is called when the file does not say. */
export function titleOf(fileName: string): string {
  return fileName.replace(/\.[a-z0-9]{1,5}$/i, "").replaceAll(/[_-]+/g, " ").trim().slice(0, 500) || "Plan";
}

export function useDeletePlan(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf<undefined>(api.DELETE("/api/v1/plans/{plan_id}", { params: { path: { plan_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: planKeys.list }),
  });
}

export function exportPlan(id: string, format: PlanFormat, wish: ScheduleWish): Promise<Blob> {
  return answerOf<Blob>(api.GET("/api/v1/plans/{plan_id}/export", { params: { path: { plan_id: id }, query: { format, ...wish } }, parseAs: "blob" }));
}
