import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { Revealed } from "@/shared/api/executions";
import { executionKeys, revealedExecution } from "@/shared/api/executions";
import { sayError } from "@/shared/states/notice";

interface Looking {
  isOn: boolean;
  isLoading: boolean;
  data: Revealed | undefined;
  toggle: () => void;
}

/**
 * Personal data as they are, once the reader asks for them; what was shown is forgotten when they turn it off.
 * The log growing to `lastSeq` asks again, and that look is recorded too.
 */
export function useRevealed(executionId: string, lastSeq: number | undefined): Looking {
  const client = useQueryClient();
  const [isOn, setOn] = useState(false);
  const query = useQuery({ ...revealedExecution(executionId), enabled: isOn });
  const { data, error, isFetching, refetch } = query;
  useEffect(() => {
    const shown = data?.log.at(-1)?.seq;
    if (isOn && !isFetching && shown !== undefined && lastSeq !== undefined && lastSeq > shown) void refetch();
  }, [isOn, isFetching, data, lastSeq, refetch]);
  useEffect(() => {
    if (!isOn || error === null) return;
    setOn(false);
    client.removeQueries({ queryKey: executionKeys.revealed(executionId) });
    sayError(error);
  }, [client, executionId, isOn, error]);
  const toggle = () => {
    if (isOn) client.removeQueries({ queryKey: executionKeys.revealed(executionId) });
    setOn(!isOn);
  };
  return { isOn, isLoading: isOn && data === undefined, data: isOn ? data : undefined, toggle };
}
