import { describe, expect, it } from "vitest";

import { readExecution, readTask } from "@/shared/status/status";

describe("readExecution", () => {
  it.each([
    ["waiting for a person: Approve; waiting for events of 1 fan-in", "person"],
    ["1 failed task: retry or skip", "failed"],
    ["waiting for events of 1 fan-in", "event"],
    [null, "event"],
  ])("reads BLOCKED with %j as %s", (status_message, meaning) => {
    expect(readExecution({ status: "BLOCKED", status_message }).meaning).toBe(meaning);
  });
});

describe("readTask", () => {
  it("tells a person's step from a wait for an event", () => {
    expect(readTask({ status: "BLOCKED", status_message: null, executor: "human" }).meaning).toBe("person");
    expect(readTask({ status: "BLOCKED", status_message: null, executor: "automated" }).meaning).toBe("event");
  });
});
