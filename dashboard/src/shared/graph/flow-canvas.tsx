import "@xyflow/react/dist/style.css";

import { useComputedColorScheme } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { Edge, Node } from "@xyflow/react";
import { Background, Controls, MarkerType, ReactFlow, ReactFlowProvider } from "@xyflow/react";
import { useMemo } from "react";

import type { Flow, FlowNode } from "@/shared/graph/flow";
import classes from "@/shared/graph/flow-canvas.module.css";
import { NODE_TYPES } from "@/shared/graph/flow-nodes";
import type { Direction, Placed } from "@/shared/graph/layout";
import { placeNodes } from "@/shared/graph/layout";
import { ErrorState, LoadingRows } from "@/shared/states/states";

interface Props {
  flow: Flow;
  label: string;
  onNode?: (node: FlowNode) => void;
  /** Shows all alike, because nothing runs here. */
  plain?: boolean;
}

/** Draws a flow; who is an agent, a human or code is told by colour, sign and shape. */
export function FlowCanvas({ flow, label, onNode, plain = false }: Props) {
  const direction: Direction = useMediaQuery("(max-width: 760px)") ? "DOWN" : "RIGHT";
  const scheme = useComputedColorScheme("light");
  const places = useQuery({
    queryKey: ["layout", direction, flow.nodes.map((node) => node.id + node.label), flow.edges],
    queryFn: () => placeNodes(flow, direction),
    staleTime: Infinity,
    structuralSharing: false,
    placeholderData: (before) => before,
  });
  const nodes = useMemo(() => nodesOf(flow, places.data, direction, plain), [flow, places.data, direction, plain]);
  const edges = useMemo(() => edgesOf(flow, plain), [flow, plain]);
  if (places.isError) return <ErrorState error={places.error} onRetry={() => void places.refetch()} />;
  if (places.data === undefined) return <LoadingRows />;
  return (
    <div className={`panel ${classes.canvas}`} role="region" aria-label={label}>
      <ReactFlowProvider>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          colorMode={scheme}
          fitView
          fitViewOptions={{ padding: 0.06, maxZoom: 1.1 }}
          minZoom={0.08}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          onNodeClick={(_, node) => onNode?.((node.data as { node: FlowNode }).node)}
        >
          <Background gap={22} size={1} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </ReactFlowProvider>
    </div>
  );
}

function nodesOf(flow: Flow, places: ReadonlyMap<string, Placed> | undefined, direction: Direction, plain: boolean): Node[] {
  return flow.nodes.flatMap((node) => {
    const place = places?.get(node.id);
    if (place === undefined) return [];
    return {
      id: node.id,
      type: node.isHandler ? "handler" : "event",
      position: { x: place.x, y: place.y },
      width: place.width,
      height: place.height,
      data: { node, direction, plain },
    };
  });
}

function edgesOf(flow: Flow, plain: boolean): Edge[] {
  const countOf = new Map(flow.nodes.map((node) => [node.id, node.count]));
  return flow.edges.map((edge, index) => {
    const used = plain || ((countOf.get(edge.source) ?? 0) > 0 && (countOf.get(edge.target) ?? 0) > 0);
    return {
      id: `e${index}`,
      source: edge.source,
      target: edge.target,
      label: edge.label === "" ? undefined : edge.label,
      className: used ? classes.used : classes.unused,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "var(--line-strong)" },
    };
  });
}
