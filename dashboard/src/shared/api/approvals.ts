import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { Approval, ApprovalDetail, ApprovalStatus, Listing } from "@/shared/api/wire";

export type Verdict = "approve" | "reject" | "revise";

export interface ItemVerdict {
  item_id: string;
  decision?: Verdict;
  edits?: Record<string, unknown>;
  feedback?: string;
  digest?: string;
}

export interface Decision {
  decision: Verdict | "reassign";
  items?: ItemVerdict[];
  feedback?: string;
  option?: string;
  form?: Record<string, unknown>;
  digest?: string;
  assign_to?: string[];
}

export const approvalKeys = {
  all: ["approvals"] as const,
  list: (status: ApprovalStatus | undefined) => ["approvals", "list", status ?? "all"] as const,
  one: (id: string) => ["approvals", "one", id] as const,
};

export function listApprovals(status: ApprovalStatus | undefined) {
  return queryOptions({
    queryKey: approvalKeys.list(status),
    queryFn: ({ signal }) =>
      answerOf<Listing<Approval>>(
        api.GET("/api/v1/approvals", { params: { query: { status, limit: 500 } }, signal }),
      ),
  });
}

export function oneApproval(id: string) {
  return queryOptions({
    queryKey: approvalKeys.one(id),
    queryFn: ({ signal }) =>
      answerOf<ApprovalDetail>(
        api.GET("/api/v1/approvals/{approval_id}", { params: { path: { approval_id: id } }, signal }),
      ),
  });
}

export function useDecide(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (decision: Decision) =>
      answerOf<ApprovalDetail>(
        api.POST("/api/v1/approvals/{approval_id}/decision", {
          params: { path: { approval_id: id } },
          body: decision,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: approvalKeys.all }),
  });
}

export function useRevoke(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (reason: string) =>
      answerOf<ApprovalDetail>(
        api.POST("/api/v1/approvals/{approval_id}/revoke", {
          params: { path: { approval_id: id } },
          body: { reason },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: approvalKeys.all }),
  });
}
