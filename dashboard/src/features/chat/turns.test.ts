import { expect, test } from "vitest";

import { addEvent, EMPTY, titleFrom } from "@/features/chat/turns";
import type { Message } from "@/shared/api/chat";
import type { StreamEvent } from "@/shared/api/event-stream";

function message(fields: Partial<Message>): StreamEvent {
  const whole: Message = {
    message_id: "msg_1", conversation_id: "cnv_1", seq: 1, role: "user", content: "Hello", execution_id: "exe_1", cost_usd: null,
    created_at: "2026-11-20T10:00:00.000Z", detail: {}, ...fields,
  };
  return { event: "message.persisted", data: whole as unknown as Record<string, unknown> };
}
const happened = (event: string, data: Record<string, unknown> = {}) => ({ event, data: { execution_id: "exe_1", ...data } });
const after = (...events: StreamEvent[]) => events.reduce(addEvent, EMPTY);

test("an answer takes the place of its turn's pieces", () => {
  const open = after(message({}), happened("message.begun", { model: "haiku" }), happened("message.delta", { text: "Good " }), happened("message.delta", { text: "day" }));
  expect(open.turns).toMatchObject([{ text: "Good day", by: "haiku", phase: "working" }]);
  const ended = addEvent(open, message({ seq: 2, role: "assistant", content: "Good day" }));
  expect(ended.turns).toEqual([]);
  expect(ended.messages.map((one) => one.content)).toEqual(["Hello", "Good day"]);
});

test("a message that comes again after a lost connection counts once", () => {
  expect(after(message({}), message({})).messages).toHaveLength(1);
});

test("another attempt begins the text anew", () => {
  const chat = after(message({}), happened("message.delta", { text: "half" }), happened("chat.retrying", { code: "MODEL_TIMEOUT" }), happened("message.delta", { text: "whole" }));
  expect(chat.turns[0]?.text).toBe("whole");
});

test("a turn that waits names its approvals until it goes on", () => {
  const waiting = after(message({}), happened("chat.judged", { reasons: ["it sends mail"] }), happened("chat.waiting", { approvals: [{ approval_id: "apr_1", title: "Send?" }] }));
  expect(waiting.turns[0]).toMatchObject({ phase: "waiting", approvalIds: ["apr_1"], reasons: ["it sends mail"] });
  expect(addEvent(waiting, happened("chat.executing", { executor_type: "tool_call" })).turns[0]).toMatchObject({ phase: "working", approvalIds: [] });
});

test("what belongs to no open turn changes nothing", () => {
  expect(after(happened("message.delta", { text: "x" }), happened("keep-alive"))).toBe(EMPTY);
});

test("a title is one line and not too long", () => {
  expect(titleFrom("  a\n b ")).toBe("a b");
  expect(titleFrom("x".repeat(200))).toHaveLength(80);
});
