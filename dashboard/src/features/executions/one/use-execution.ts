import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { executionKeys, executionLog, oneExecution } from "@/shared/api/executions";
import { useLive } from "@/shared/live/use-live";
import { hasEnded } from "@/shared/status/status";

/** An execution and its log. The log is what is polled; the execution is read again when the log has grown. */
export function useExecution(executionId: string) {
  const client = useQueryClient();
  const detail = useQuery(oneExecution(executionId));
  const log = useQuery(executionLog(executionId));
  useLive({ of: "execution", executionId, ended: detail.data !== undefined && hasEnded(detail.data) });
  const lastSeq = log.data?.at(-1)?.seq;
  useEffect(() => {
    if (lastSeq !== undefined) void client.invalidateQueries({ queryKey: executionKeys.one(executionId) });
  }, [client, executionId, lastSeq]);
  return { detail, log };
}
