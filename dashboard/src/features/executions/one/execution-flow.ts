import { summarizeLog } from "@/features/executions/one/log-summary";
import type { LogEvent, Task } from "@/shared/api/wire";
import type { Flow, FlowNode } from "@/shared/graph/flow";
import type { EventGraph } from "@/shared/graph/mermaid-graph";
import type { Meaning } from "@/shared/status/status";
import { readTask } from "@/shared/status/status";

/** Lays tasks and events over the manifest's graph. Handlers and events that it lacks are added from the log. */
export function flowOf(shape: EventGraph | undefined, tasks: readonly Task[], log: readonly LogEvent[]): Flow {
  const { counts } = summarizeLog(log);
  const nodes = new Map<string, FlowNode>();
  const edges = new Map<string, Flow["edges"][number]>();
  const idOf = new Map<string, string>();
  for (const node of shape?.nodes ?? []) {
    const isHandler = ["agent", "human", "automated"].includes(node.kind);
    idOf.set(keyOf(isHandler, node.label), node.id);
    nodes.set(node.id, { ...node, isHandler, tallies: [], count: isHandler ? 0 : (counts.get(node.label) ?? 0) });
  }
  for (const edge of shape?.edges ?? []) edges.set(`${edge.source} ${edge.target} ${edge.label}`, edge);
  const nodeFor = (isHandler: boolean, label: string, kind: FlowNode["kind"]) => {
    const key = keyOf(isHandler, label);
    const id = idOf.get(key) ?? key;
    idOf.set(key, id);
    const known = nodes.get(id) ?? { id, kind, label, isHandler, tallies: [], count: isHandler ? 0 : (counts.get(label) ?? 0) };
    nodes.set(id, known);
    return known;
  };
  for (const task of tasks) tally(nodeFor(true, task.handler, task.executor), readTask(task).meaning);
  if (shape === undefined) connect(tasks, log, nodeFor, edges);
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function keyOf(isHandler: boolean, label: string): string {
  return `${isHandler ? "handler" : "event"}:${label}`;
}

function tally(node: FlowNode, meaning: Meaning): void {
  node.count += 1;
  const known = node.tallies.find((one) => one.meaning === meaning);
  if (known) known.count += 1;
  else node.tallies.push({ meaning, count: 1 });
}

type NodeFor = (isHandler: boolean, label: string, kind: FlowNode["kind"]) => FlowNode;

/** Without a manifest the arrows come from the log: which task emitted an event, which event started a task. */
function connect(tasks: readonly Task[], log: readonly LogEvent[], nodeFor: NodeFor, edges: Map<string, Flow["edges"][number]>): void {
  const taskOf = new Map(tasks.map((task) => [task.task_id, task]));
  const eventOf = new Map(log.map((event) => [event.event_id, event]));
  const add = (source: string, target: string) => edges.set(`${source} ${target} `, { source, target, label: "" });
  for (const event of log) {
    const emitter = event.task_id === null ? undefined : taskOf.get(event.task_id);
    if (event.event_type !== "event_recorded" || event.name === null || emitter === undefined) continue;
    add(nodeFor(true, emitter.handler, emitter.executor).id, nodeFor(false, event.name, "event").id);
  }
  for (const task of tasks) {
    const trigger = eventOf.get(task.event_id);
    if (trigger?.name == null) continue;
    const kind = trigger.event_type === "execution_created" ? "outside" : "event";
    add(nodeFor(false, trigger.name, kind).id, nodeFor(true, task.handler, task.executor).id);
  }
}
