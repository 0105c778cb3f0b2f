import { useQuery } from "@tanstack/react-query";

import { executionLog, oneExecution } from "@/shared/api/executions";
import { useLive } from "@/shared/live/use-live";

/** An execution and its log, live. */
export function useExecution(executionId: string) {
  const detail = useQuery(oneExecution(executionId));
  const log = useQuery(executionLog(executionId));
  useLive({ of: "execution", executionId });
  return { detail, log };
}
