import type { QueryClient } from "@tanstack/react-query";

import { executionKeys } from "@/shared/api/executions";
import type { ExecutionDetail, LogEvent } from "@/shared/api/wire";
import type { EventMessage, StreamMessage, UpdateMessage } from "@/shared/live/messages";
import { updated, withEvents } from "@/shared/live/messages";
import { refresh } from "@/shared/live/owner-feed";
import { StreamSocket } from "@/shared/live/stream-socket";
import type { Throttled } from "@/shared/live/throttle";
import { throttle } from "@/shared/live/throttle";

const EVERY_MS = 80;
const BY_TIMER_MS = 15_000;

/** News of one execution: its status and its events are on the screen as they come, what they carry follows. */
export class ExecutionFeed {
  private readonly socket: StreamSocket;
  private update: UpdateMessage | null = null;
  private events: EventMessage[] = [];
  private readonly draw: Throttled;
  private readonly read: Throttled;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly client: QueryClient,
    private readonly id: string,
  ) {
    this.draw = throttle(EVERY_MS, () => this.apply());
    this.read = throttle(EVERY_MS, () =>
      Promise.all([executionKeys.one(id), executionKeys.log(id), executionKeys.tree(id)].map((key) => refresh(client, key))),
    );
    this.socket = new StreamSocket({
      address: () => ({ path: `/api/v1/executions/${encodeURIComponent(id)}/stream`, lastEventId: this.lastEventId() }),
      onMessage: (message) => this.take(message),
      onDown: () => this.read(),
    });
    this.timer = setInterval(() => {
      if (!this.socket.isUp) this.read();
    }, BY_TIMER_MS);
  }

  close(): void {
    this.socket.close();
    clearInterval(this.timer);
    this.draw.stop();
    this.read.stop();
  }

  private lastEventId(): string | undefined {
    return this.client.getQueryData<LogEvent[]>(executionKeys.log(this.id))?.at(-1)?.event_id;
  }

  private take(message: StreamMessage): void {
    if (message.type === "event") this.events.push(message);
    if (message.type === "execution_update") this.update = message;
    this.draw();
    this.read();
  }

  private apply(): void {
    const { update, events } = this;
    this.update = null;
    this.events = [];
    if (update !== null) {
      this.client.setQueryData<ExecutionDetail>(executionKeys.one(this.id), (known) => known && updated(known, update));
    }
    if (events.length > 0) {
      this.client.setQueryData<LogEvent[]>(executionKeys.log(this.id), (known) => known && withEvents(known, events));
    }
  }
}
