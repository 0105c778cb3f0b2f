import { useMemo } from "react";

import { FlowCanvas } from "@/shared/graph/flow-canvas";
import type { EventGraph } from "@/shared/graph/mermaid-graph";

export default function GraphView({ name, graph }: { name: string; graph: EventGraph }) {
  const flow = useMemo(
    () => ({
      nodes: graph.nodes.map((node) => ({ ...node, isHandler: ["agent", "human", "automated"].includes(node.kind), tallies: [], count: 0 })),
      edges: graph.edges,
    }),
    [graph],
  );
  return <FlowCanvas flow={flow} label={`Graph of ${name}`} plain />;
}
