import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { ExecutionFeed } from "@/shared/live/execution-feed";
import { OwnerFeed } from "@/shared/live/owner-feed";

/** What a view wants to be told about: everything that lists show, or one execution. */
export type Topic = { of: "lists" } | { of: "execution"; executionId: string };

interface Shared {
  feed: { close: () => void };
  readers: number;
}
const feeds = new WeakMap<QueryClient, Map<string, Shared>>();

/**
 * Keeps what a view shows fresh: the one place that knows how news arrive. Views of the same thing share a socket,
 * which ends with the last of them; while it is down the server is asked every 15 seconds.
 */
export function useLive(topic: Topic): void {
  const client = useQueryClient();
  const executionId = topic.of === "execution" ? topic.executionId : null;
  useEffect(() => follow(client, executionId), [client, executionId]);
}

function follow(client: QueryClient, executionId: string | null): () => void {
  const known = feeds.get(client) ?? new Map<string, Shared>();
  feeds.set(client, known);
  const key = executionId ?? "";
  const shared = known.get(key) ?? { feed: executionId === null ? new OwnerFeed(client) : new ExecutionFeed(client, executionId), readers: 0 };
  known.set(key, shared);
  shared.readers += 1;
  return () => {
    shared.readers -= 1;
    if (shared.readers > 0) return;
    shared.feed.close();
    known.delete(key);
  };
}
