import { queryOptions } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { Budget, CostSuggestions, Ledger, Listing } from "@/shared/api/wire";

export type LedgerGroup = "day" | "agent" | "model" | "execution";

export const ledgerKeys = {
  all: ["ledger"] as const,
  by: (group: LedgerGroup, executionId?: string) => ["ledger", group, executionId ?? null] as const,
  budgets: ["ledger", "budgets"] as const,
  suggestions: (days: number) => ["ledger", "suggestions", days] as const,
};

export function ledgerBy(group: LedgerGroup, executionId?: string) {
  return queryOptions({
    queryKey: ledgerKeys.by(group, executionId),
    queryFn: ({ signal }) => {
      const query = { group_by: group, execution_id: executionId };
      return answerOf<Ledger>(api.GET("/api/v1/ledger", { params: { query }, signal }));
    },
  });
}

export function listBudgets() {
  return queryOptions({
    queryKey: ledgerKeys.budgets,
    queryFn: ({ signal }) => answerOf<Listing<Budget>>(api.GET("/api/v1/budgets", { signal })),
  });
}

export function costSuggestions(days: number) {
  return queryOptions({
    queryKey: ledgerKeys.suggestions(days),
    queryFn: ({ signal }) =>
      answerOf<CostSuggestions>(api.GET("/api/v1/costs/suggestions", { params: { query: { days } }, signal })),
  });
}
