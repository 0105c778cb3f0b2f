import type { StreamMessage } from "@/shared/live/messages";
import { forgetStreamToken, streamToken } from "@/shared/live/stream-token";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const TOKEN_REFUSED = 4_401;
const NOT_THERE = 4_404;

/** How long to wait before trying again; spread, so that many readers do not come back at once. */
export function waitBefore(attempt: number, spread = Math.random()): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.75 + spread / 2);
}

interface Reader {
  /** The path and what follows the token in the address; asked again with every attempt. */
  address: () => { path: string; lastEventId?: string };
  onMessage: (message: StreamMessage) => void;
  onDown: () => void;
}

/** A WebSocket that comes back after it was lost, until it is closed. */
export class StreamSocket {
  isUp = false;
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private attempt = 0;
  private isClosed = false;

  constructor(private readonly reader: Reader) {
    void this.open();
  }

  close(): void {
    this.isClosed = true;
    this.isUp = false;
    if (this.timer !== null) clearTimeout(this.timer);
    this.socket?.close();
  }

  private async open(): Promise<void> {
    const token = await streamToken().catch(() => null);
    if (this.isClosed) return;
    if (token === null) {
      this.later(0);
      return;
    }
    const { path, lastEventId } = this.reader.address();
    const address = new URL(path, window.location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("token", token);
    if (lastEventId !== undefined) address.searchParams.set("last_event_id", lastEventId);
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onmessage = (message) => {
      if (this.isClosed) return;
      this.isUp = true;
      this.attempt = 0;
      this.reader.onMessage(JSON.parse(String(message.data)) as StreamMessage);
    };
    socket.onclose = ({ code }) => this.later(code);
  }

  private later(code: number): void {
    if (this.isClosed) return;
    this.isUp = false;
    if (code === TOKEN_REFUSED) forgetStreamToken();
    this.reader.onDown();
    if (code === NOT_THERE) return;
    this.timer = setTimeout(() => void this.open(), waitBefore(this.attempt));
    this.attempt += 1;
  }
}
