import type { ELK as Elk, ElkNode } from "elkjs/lib/elk-api.js";
import ELK from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";

import type { Flow, FlowNode } from "@/shared/graph/flow";

export interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  places: Map<string, Placed>;
}

let elk: Elk | undefined;

/** Places the nodes in layers, in a worker, so that a large graph does not stop the page. */
export async function placeNodes(flow: Flow): Promise<Layout> {
  elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) });
  const graph: ElkNode = {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "DOWN",
      "elk.layered.spacing.nodeNodeBetweenLayers": "24",
      "elk.spacing.nodeNode": "16",
      "elk.spacing.componentComponent": "40",
      "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
      "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
      "elk.separateConnectedComponents": "true",
    },
    children: flow.nodes.map((node) => ({ id: node.id, ...sizeOf(node) })),
    edges: flow.edges.map((edge, index) => ({ id: `e${index}`, sources: [edge.source], targets: [edge.target] })),
  };
  const placed = await elk.layout(graph);
  const places = (placed.children ?? []).map((child): [string, Placed] => [
    child.id,
    { x: child.x ?? 0, y: child.y ?? 0, width: child.width ?? 0, height: child.height ?? 0 },
  ]);
  return { width: placed.width ?? 0, height: placed.height ?? 0, places: new Map(places) };
}

const LETTER = 8.3;
const EVENT_LETTER = 7.2;

export function sizeOf(node: FlowNode): { width: number; height: number } {
  const letters = Math.min(node.label.length, 34);
  return node.isHandler
    ? { width: Math.max(150, Math.round(letters * LETTER) + 62), height: 52 }
    : { width: Math.max(84, Math.round(letters * EVENT_LETTER) + 30 + (node.count > 0 ? 30 : 0) + (node.kind === "event" ? 0 : 20)), height: 28 };
}
