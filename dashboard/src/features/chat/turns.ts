import type { Message } from "@/shared/api/chat";
import type { StreamEvent } from "@/shared/api/event-stream";

/** A turn that has no answer yet. */
export interface OpenTurn {
  executionId: string;
  phase: "reading" | "deciding" | "working" | "waiting" | "ended";
  /** What it does now, in a word or two: the executor, or the model. */
  by: string | null;
  reasons: string[];
  /** The answer as far as it has come. */
  text: string;
  approvalIds: string[];
}

export interface Chat {
  messages: Message[];
  turns: OpenTurn[];
}

export const EMPTY: Chat = { messages: [], turns: [] };

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function withMessage(chat: Chat, message: Message): Chat {
  if ((chat.messages.at(-1)?.seq ?? 0) >= message.seq) return chat;
  const others = chat.turns.filter((turn) => turn.executionId !== message.execution_id);
  const begun: OpenTurn = { executionId: message.execution_id, phase: "reading", by: null, reasons: [], text: "", approvalIds: [] };
  return { messages: [...chat.messages, message], turns: message.role === "user" ? [...others, begun] : others };
}

function changeOf(turn: OpenTurn, { event, data }: StreamEvent): Partial<OpenTurn> | null {
  const by = typeof data.executor_type === "string" ? data.executor_type : turn.by;
  switch (event) {
    case "chat.decided":
      return { phase: "deciding", by };
    case "chat.judged":
      return { reasons: textsOf(data.reasons) };
    case "chat.waiting":
      return { phase: "waiting", approvalIds: (data.approvals as { approval_id: string }[]).map((one) => one.approval_id) };
    case "chat.executing":
      return { phase: "working", by, approvalIds: [] };
    case "message.begun":
      return { phase: "working", text: "", by: typeof data.model === "string" ? data.model : by };
    case "message.delta":
      return { text: turn.text + (typeof data.text === "string" ? data.text : "") };
    case "chat.retrying":
      return { phase: "working", text: "" };
    case "chat.ended":
      return { phase: "ended" };
    default:
      return null;
  }
}

/** The conversation after something has happened in it. Messages count once, whatever comes again. */
export function addEvent(chat: Chat, happened: StreamEvent): Chat {
  if (happened.event === "message.persisted") return withMessage(chat, happened.data as unknown as Message);
  const turn = chat.turns.find((one) => one.executionId === happened.data.execution_id);
  const change = turn && changeOf(turn, happened);
  if (!change) return chat;
  return { ...chat, turns: chat.turns.map((one) => (one === turn ? { ...one, ...change } : one)) };
}

/** What a conversation is called that begins with a text. */
export function titleFrom(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}
