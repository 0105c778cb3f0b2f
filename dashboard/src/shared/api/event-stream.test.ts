import { describe, expect, it } from "vitest";

import { takeEvents } from "@/shared/api/event-stream";

describe("takeEvents", () => {
  it("takes complete events and keeps the beginning of the next one", () => {
    const { events, rest } = takeEvents('event: task.started\ndata: {"a":1}\n\nevent: task.pro');

    expect(events).toEqual([{ event: "task.started", data: { a: 1 } }]);
    expect(rest).toBe("event: task.pro");
  });

  it("passes over comments and joins data of several lines", () => {
    expect(takeEvents(': still here\n\ndata: {"a":\r\ndata: 2}\r\n\r\n').events).toEqual([{ event: "message", data: { a: 2 } }]);
  });
});
