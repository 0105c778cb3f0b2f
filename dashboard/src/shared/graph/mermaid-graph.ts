export type NodeKind = "agent" | "human" | "automated" | "event" | "outside" | "cron" | "webhook";

export interface GraphNode {
  id: string;
  kind: NodeKind;
  label: string;
}

export interface GraphEdge {
  source: string;
  target: string;
  label: string;
}

export interface EventGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const NODE = /^\s*(n\d+)[^"]*"(.*)"[^"]*:::(agent|human|automated|event|outside|cron|webhook)$/;
const EDGE = /^\s*(n\d+) -->(?:\|"(.*)"\|)? (n\d+)$/;
const MARK = /^(?:🤖|👤|⚙️|⏰|🌐) /u;

/** Reads the flowchart that the server draws of a manifest. Lines that it never writes are passed over. */
export function parseMermaid(text: string): EventGraph {
  const graph: EventGraph = { nodes: [], edges: [] };
  for (const line of text.split("\n")) {
    const node = NODE.exec(line);
    if (node !== null) {
      const label = unescape(node[2] ?? "").replace(MARK, "");
      graph.nodes.push({ id: node[1] ?? "", kind: node[3] as NodeKind, label });
      continue;
    }
    const edge = EDGE.exec(line);
    if (edge !== null) {
      graph.edges.push({ source: edge[1] ?? "", target: edge[3] ?? "", label: unescape(edge[2] ?? "") });
    }
  }
  return graph;
}

function unescape(text: string): string {
  return text.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
