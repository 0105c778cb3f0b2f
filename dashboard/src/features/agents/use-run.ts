import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { Turn } from "@/features/agents/turns";
import { addEvent, failure } from "@/features/agents/turns";
import { agentKeys, runAgent } from "@/shared/api/agents";

/** A run of the agent from here: its turns so far, and the execution that they belong to. */
export function useRun(agentId: string) {
  const client = useQueryClient();
  const [turns, setTurns] = useState<Turn[]>([]);
  const [executionId, setExecutionId] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const reading = useRef<AbortController>(null);
  useEffect(() => () => reading.current?.abort(), []);

  const start = async (input: string) => {
    reading.current = new AbortController();
    setTurns([]);
    setExecutionId(null);
    setRunning(true);
    try {
      for await (const event of runAgent(agentId, input, reading.current.signal)) {
        if (typeof event.data.execution_id === "string") setExecutionId(event.data.execution_id);
        setTurns((before) => addEvent(before, event));
      }
    } catch (error) {
      if (!reading.current.signal.aborted) setTurns((before) => [...before, failure(error)]);
    } finally {
      setRunning(false);
      void client.invalidateQueries({ queryKey: agentKeys.figures(agentId) });
    }
  };
  return { turns, executionId, isRunning, start };
}
