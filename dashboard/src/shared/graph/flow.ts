import type { GraphEdge, NodeKind } from "@/shared/graph/mermaid-graph";
import type { Meaning } from "@/shared/status/status";

export interface FlowNode {
  id: string;
  kind: NodeKind;
  label: string;
  isHandler: boolean;
  /** How many tasks, or how often the event was recorded. */
  count: number;
  tallies: { meaning: Meaning; count: number }[];
}

/** A graph to draw: handlers and the events between them, with what has run. */
export interface Flow {
  nodes: FlowNode[];
  edges: GraphEdge[];
}
