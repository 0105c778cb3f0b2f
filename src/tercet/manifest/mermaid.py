"""The event graph as Mermaid: agents, humans and code look different."""

from __future__ import annotations

import re

from tercet.manifest.event_graph import EventGraph, Node

_SHAPES = {
    "agent": ('(["🤖 ', '"])'),
    "human": ('[/"👤 ', '"/]'),
    "automated": ('["⚙️ ', '"]'),
    "event": ('("', '")'),
    "outside": ('>"👤 ', '"]'),
    "cron": ('{{"⏰ ', '"}}'),
    "webhook": ('{{"🌐 ', '"}}'),
}
_STYLES = {
    "agent": "fill:#ede9fe,stroke:#7c3aed,color:#2e1065",
    "human": "fill:#fef3c7,stroke:#d97706,color:#451a03",
    "automated": "fill:#e0f2fe,stroke:#0284c7,color:#082f49",
    "event": "fill:#f8fafc,stroke:#94a3b8,color:#334155",
    "outside": "fill:#fff7ed,stroke:#ea580c,color:#431407",
    "cron": "fill:#f0fdf4,stroke:#16a34a,color:#052e16",
    "webhook": "fill:#f0fdf4,stroke:#16a34a,color:#052e16",
}


def to_mermaid(graph: EventGraph) -> str:
    """Return the flowchart."""
    ids = {node_id: f"n{index}" for index, node_id in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    lines += [f"  {ids[node.id]}{_shape(node)}:::{node.kind}" for node in graph.nodes.values()]
    for edge in graph.edges:
        label = f'|"{_escape(edge.label)}"|' if edge.label else ""
        lines.append(f"  {ids[edge.source]} -->{label} {ids[edge.target]}")
    used = sorted({node.kind for node in graph.nodes.values()})
    lines += [f"  classDef {kind} {_STYLES[kind]}" for kind in used]
    return "\n".join(lines) + "\n"


def _shape(node: Node) -> str:
    before, after = _SHAPES[node.kind]
    return f"{before}{_escape(node.label)}{after}"


def _escape(text: str) -> str:
    return re.sub(r"[\"<>&#|`]", lambda found: f"#{ord(found.group())};", text)
