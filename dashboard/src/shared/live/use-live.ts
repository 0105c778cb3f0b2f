import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { approvalKeys } from "@/shared/api/approvals";
import { executionKeys } from "@/shared/api/executions";
import { ledgerKeys } from "@/shared/api/ledger";

/** What a view wants to be told about. */
export type Topic =
  | { of: "executions" }
  | { of: "execution"; executionId: string; ended: boolean }
  | { of: "approvals" }
  | { of: "approval"; approvalId: string }
  | { of: "ledger" };

const EVERY_MS = { executions: 2_000, execution: 1_000, approvals: 2_000, approval: 3_000, ledger: 5_000 };
const EVERY_MS_ONCE_ENDED = 15_000;

function keyOf(topic: Topic): readonly unknown[] {
  switch (topic.of) {
    case "executions":
      return executionKeys.lists;
    case "execution":
      // Only the log is asked for again; the execution itself follows when the log has grown.
      return executionKeys.log(topic.executionId);
    case "approvals":
      return approvalKeys.list(undefined).slice(0, 2);
    case "approval":
      return approvalKeys.one(topic.approvalId);
    case "ledger":
      return ledgerKeys.all;
  }
}

/**
 * Keeps what a view shows fresh: the one place that knows how news arrive. Today it polls while the page is
 * visible; a stream from the server can take its place without any view noticing.
 */
export function useLive(topic: Topic): void {
  const client = useQueryClient();
  const key = JSON.stringify(keyOf(topic));
  const everyMs = topic.of === "execution" && topic.ended ? EVERY_MS_ONCE_ENDED : EVERY_MS[topic.of];
  useEffect(() => {
    const queryKey = JSON.parse(key) as unknown[];
    const timer = setInterval(() => {
      // A slow server is not asked twice at once.
      if (document.visibilityState === "hidden" || client.isFetching({ queryKey }) > 0) return;
      void client.invalidateQueries({ queryKey });
    }, everyMs);
    return () => clearInterval(timer);
  }, [client, key, everyMs]);
}
