import { expect, test } from "vitest";

import { makeAgent } from "@/shared/api/fakes-runs";
import { actionsNobodyDoes, activeWorkers } from "@/shared/api/workers";

test("only agent workers that are not paused can be given work", () => {
  const agents = [makeAgent({ id: "a" }), makeAgent({ id: "b", is_active: false }), makeAgent({ id: "c", is_worker: false })];
  expect(activeWorkers(agents).map((agent) => agent.id)).toEqual(["a"]);
});

test("actions that nobody can do are named once, without those of people", () => {
  const worker = makeAgent({ capabilities: [{ action: "send_email" }] });
  expect(actionsNobodyDoes(["human", "send_email", "call", "call"], [worker])).toEqual(["call"]);
  expect(actionsNobodyDoes(["call"], [makeAgent({ capabilities: [{ action: "*" }] })])).toEqual([]);
});
