import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";

import type { ExecutionFilter } from "@/shared/api/executions";
import { executionRows, loadOlder } from "@/shared/api/executions";
import { useLive } from "@/shared/live/use-live";
import { sayError } from "@/shared/states/notice";

/** The rows of the list, kept fresh at the top and growing at the bottom. */
export function useExecutionRows(filter: ExecutionFilter) {
  useLive({ of: "lists" });
  const client = useQueryClient();
  const query = useQuery(executionRows(filter));
  const isLoading = useRef(false);
  const { status, kind } = filter;
  const older = useCallback(() => {
    if (isLoading.current) return;
    isLoading.current = true;
    loadOlder(client, { status, kind })
      .catch(sayError)
      .finally(() => {
        isLoading.current = false;
      });
  }, [client, status, kind]);
  return {
    rows: query.data?.rows,
    error: query.error,
    retry: () => void query.refetch(),
    hasOlder: query.data?.olderCursor != null,
    loadOlder: older,
  };
}
