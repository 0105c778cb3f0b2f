import type { Query, QueryClient } from "@tanstack/react-query";

import { approvalKeys } from "@/shared/api/approvals";
import type { ExecutionFilter } from "@/shared/api/executions";
import { executionKeys } from "@/shared/api/executions";
import { ledgerKeys } from "@/shared/api/ledger";
import type { StreamMessage, UpdateMessage } from "@/shared/live/messages";
import { hasRows, withUpdates } from "@/shared/live/messages";
import { StreamSocket } from "@/shared/live/stream-socket";
import type { Throttled } from "@/shared/live/throttle";
import { throttle } from "@/shared/live/throttle";

const EVERY_MS = 100;
const LEDGER_EVERY_MS = 2_000;
const BY_TIMER_MS = 15_000;

/** News of all executions: one socket for all views, which says what to draw anew. */
export class OwnerFeed {
  private readonly socket: StreamSocket;
  private readonly updates = new Map<string, UpdateMessage>();
  private readonly applyUpdates: Throttled;
  private readonly lists: Throttled;
  private readonly approvals: Throttled;
  private readonly ledger: Throttled;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly client: QueryClient) {
    const anew = (queryKey: readonly unknown[]) => () => refresh(client, queryKey);
    this.applyUpdates = throttle(EVERY_MS, () => this.apply());
    this.lists = throttle(EVERY_MS, anew(executionKeys.lists));
    this.approvals = throttle(EVERY_MS, anew(approvalKeys.all));
    this.ledger = throttle(LEDGER_EVERY_MS, anew(ledgerKeys.all));
    this.socket = new StreamSocket({
      address: () => ({ path: "/api/v1/stream" }),
      onMessage: (message) => this.take(message),
      onDown: () => this.all(),
    });
    this.timer = setInterval(() => {
      if (!this.socket.isUp) this.all();
    }, BY_TIMER_MS);
  }

  close(): void {
    this.socket.close();
    clearInterval(this.timer);
    for (const throttled of [this.applyUpdates, this.lists, this.approvals, this.ledger]) throttled.stop();
  }

  private take(message: StreamMessage): void {
    if (message.type === "ready" || message.type === "resync") this.all();
    if (message.type === "execution_update") {
      this.updates.set(message.execution_id, message);
      this.applyUpdates();
      this.ledger();
    }
    if (message.type === "event" && message.event_type.startsWith("approval_")) this.approvals();
  }

  private all(): void {
    this.lists();
    this.approvals();
    this.ledger();
  }

  /** Draws the rows that are there as they are now; only what is new to a list is asked for. */
  private apply(): void {
    const updates = new Map(this.updates);
    this.updates.clear();
    let isNew = false;
    for (const query of this.client.getQueryCache().findAll({ queryKey: executionKeys.lists })) {
      const data: unknown = query.state.data;
      if (!hasRows(data)) continue;
      const before = "rows" in data ? data.rows : data.items;
      const rows = withUpdates(before, updates, filterOf(query)?.status);
      if (rows === null) isNew = true;
      else this.client.setQueryData(query.queryKey, "rows" in data ? { ...data, rows } : { ...data, items: rows });
    }
    if (isNew) this.lists();
  }
}

function filterOf(query: Query): ExecutionFilter | undefined {
  return query.queryKey[3] as ExecutionFilter | undefined;
}

/** What is on the screen is asked for; the rest, and everything while the page is hidden, when it is looked at. */
export function refresh(client: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const refetchType = document.visibilityState === "hidden" ? "none" : "active";
  return client.invalidateQueries({ queryKey, refetchType });
}
