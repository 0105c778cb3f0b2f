import { describe, expect, test } from "vitest";

import { makeEvent, makeExecution } from "@/shared/api/fakes";
import type { EventMessage, UpdateMessage } from "@/shared/live/messages";
import { updated, withEvents, withUpdates } from "@/shared/live/messages";

function makeUpdate(fields: Partial<UpdateMessage> = {}): UpdateMessage {
  return {
    type: "execution_update",
    execution_id: "exe_1",
    status: "COMPLETED",
    status_message: "done",
    progress: { tasks_completed: 2, tasks_total: 2, percent: 100 },
    timestamp: "2026-11-20T11:00:00.000Z",
    ...fields,
  };
}

function makeMessage(seq: number): EventMessage {
  return { ...makeEvent({ seq, event_id: `evt_1_${seq}` }), type: "event" };
}

describe("updates", () => {
  test("an update changes status and progress", () => {
    expect(updated(makeExecution(), makeUpdate())).toMatchObject({ status: "COMPLETED", status_message: "done", progress: { percent: 100 } });
  });

  test("an update that is older than what is known changes nothing", () => {
    const execution = makeExecution();
    expect(updated(execution, makeUpdate({ timestamp: "2020-01-01T00:00:00.000Z" }))).toBe(execution);
  });

  test("a list is asked for again when an execution is new to it or leaves its filter", () => {
    const rows = [makeExecution()];
    const of = (update: UpdateMessage) => new Map([[update.execution_id, update]]);
    expect(withUpdates(rows, of(makeUpdate({ execution_id: "exe_2" })), undefined)).toBeNull();
    expect(withUpdates(rows, of(makeUpdate()), "RUNNING")).toBeNull();
    expect(withUpdates(rows, of(makeUpdate()), undefined)).toMatchObject([{ status: "COMPLETED" }]);
  });
});

describe("events", () => {
  test("events that follow are appended as partial", () => {
    const log = withEvents([makeEvent({ seq: 1 })], [makeMessage(2), makeMessage(3)]);
    expect(log.map((event) => [event.seq, event.is_partial ?? false])).toEqual([[1, false], [2, true], [3, true]]);
  });

  test("events that are known already, or come after a hole, are left out", () => {
    const log = [makeEvent({ seq: 1 })];
    expect(withEvents(log, [makeMessage(1), makeMessage(3)])).toBe(log);
  });
});
