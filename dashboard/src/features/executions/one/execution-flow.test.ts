import { describe, expect, it } from "vitest";

import { flowOf } from "@/features/executions/one/execution-flow";
import { makeEvent, makeTask } from "@/shared/api/fakes";

const LOG = [
  makeEvent({ seq: 1, event_type: "execution_created", name: "order.placed" }),
  makeEvent({ seq: 2, event_type: "event_recorded", name: "order.checked", task_id: "tsk_1" }),
];
const TASKS = [
  makeTask({ task_id: "tsk_1", handler: "check", event_id: "evt_1_1" }),
  makeTask({ task_id: "tsk_2", handler: "ship", event_id: "evt_1_2", status: "RUNNING" }),
];

describe("flowOf", () => {
  it("counts tasks and events on the manifest's shape, what has not run stays", () => {
    const shape = {
      nodes: [
        { id: "n0", kind: "automated" as const, label: "check" },
        { id: "n1", kind: "event" as const, label: "order.checked" },
        { id: "n2", kind: "human" as const, label: "approve" },
      ],
      edges: [{ source: "n0", target: "n1", label: "" }],
    };

    const flow = flowOf(shape, TASKS.slice(0, 1), LOG);

    expect(flow.nodes.map((node) => [node.label, node.count])).toEqual([["check", 1], ["order.checked", 1], ["approve", 0]]);
    expect(flow.nodes[0]?.tallies).toEqual([{ meaning: "done", count: 1 }]);
    expect(flow.edges).toHaveLength(1);
  });

  it("draws the arrows from the log when there is no manifest", () => {
    const flow = flowOf(undefined, TASKS, LOG);

    expect(flow.edges.map((edge) => `${edge.source} → ${edge.target}`)).toEqual([
      "handler:check → event:order.checked",
      "event:order.placed → handler:check",
      "event:order.checked → handler:ship",
    ]);
  });
});
