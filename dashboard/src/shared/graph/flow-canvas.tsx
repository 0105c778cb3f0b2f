import "@xyflow/react/dist/style.css";

import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { Edge, Node } from "@xyflow/react";
import { Background, Controls, MarkerType, ReactFlow, ReactFlowProvider } from "@xyflow/react";
import { useMemo } from "react";

import { fitWidth } from "@/shared/graph/fit-width";
import type { Flow, FlowNode } from "@/shared/graph/flow";
import classes from "@/shared/graph/flow-canvas.module.css";
import { NODE_TYPES } from "@/shared/graph/flow-nodes";
import type { Placed } from "@/shared/graph/layout";
import { placeNodes } from "@/shared/graph/layout";
import { ErrorState, LoadingRows } from "@/shared/states/states";

interface Props {
  flow: Flow;
  label: string;
  onNode?: (node: FlowNode) => void;
  /** Shows all alike, because nothing runs here. */
  plain?: boolean;
}

/** Draws a flow from top to bottom, as wide as the page; the page scrolls. Agents, humans and code look different. */
export function FlowCanvas({ flow, label, onNode, plain = false }: Props) {
  const scheme = useComputedColorScheme("light");
  const { ref, width } = useElementSize();
  const layout = useQuery({
    queryKey: ["layout", flow.nodes.map((node) => `${node.id} ${node.label} ${node.count > 0 ? "ran" : ""}`), flow.edges],
    queryFn: () => placeNodes(flow),
    staleTime: Infinity,
    structuralSharing: false,
    placeholderData: (before) => before,
  });
  const nodes = useMemo(() => nodesOf(flow, layout.data?.places, plain), [flow, layout.data, plain]);
  const edges = useMemo(() => edgesOf(flow, plain), [flow, plain]);
  if (layout.isError) return <ErrorState error={layout.error} onRetry={() => void layout.refetch()} />;
  const fit = layout.data === undefined || width === 0 ? null : fitWidth(layout.data, width);
  return (
    <div ref={ref} className={`panel ${classes.canvas}`} style={{ height: fit?.height ?? 360 }} role="region" aria-label={label}>
      {fit === null ? (
        <LoadingRows />
      ) : (
        // A new layout or another width starts from its own view; React Flow reads the view only once.
        <ReactFlowProvider key={`${layout.dataUpdatedAt} ${Math.round(width)}`}>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            colorMode={scheme}
            defaultViewport={fit.view}
            minZoom={0.1}
            maxZoom={2}
            preventScrolling={false}
            zoomOnScroll={false}
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            onNodeClick={(_, node) => onNode?.((node.data as { node: FlowNode }).node)}
          >
            <Background gap={22} size={1} />
            <Controls showInteractive={false} position="top-right" />
          </ReactFlow>
        </ReactFlowProvider>
      )}
    </div>
  );
}

function nodesOf(flow: Flow, places: ReadonlyMap<string, Placed> | undefined, plain: boolean): Node[] {
  return flow.nodes.flatMap((node) => {
    const place = places?.get(node.id);
    if (place === undefined) return [];
    return {
      id: node.id,
      type: node.isHandler ? "handler" : "event",
      position: { x: place.x, y: place.y },
      width: place.width,
      height: place.height,
      ariaLabel: `${node.kind} ${node.label}`,
      data: { node, plain },
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
      markerEnd: { type: MarkerType.ArrowClosed, width: 13, height: 13, color: "var(--text-dim)" },
    };
  });
}
