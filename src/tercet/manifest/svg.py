"""The event graph as SVG, laid out in layers from left to right.

Layers by longest path (cycles broken at back edges), order within a layer by the barycenter of the
neighbours (Sugiyama, Tagawa and Toda, 1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from tercet.manifest.event_graph import Edge, EventGraph, Node

_HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 38, 70, 20, 24
_CHARACTER, _PADDING = 7.4, 44
_SWEEPS = 8
_LOOKS = {
    "agent": ("#ede9fe", "#7c3aed", "🤖", 19),
    "human": ("#fef3c7", "#d97706", "👤", 2),
    "automated": ("#e0f2fe", "#0284c7", "⚙", 8),
    "event": ("#f8fafc", "#94a3b8", "", 12),
    "outside": ("#fff7ed", "#ea580c", "↪", 12),
    "cron": ("#f0fdf4", "#16a34a", "⏰", 4),
    "webhook": ("#f0fdf4", "#16a34a", "🌐", 4),
}
_FONT = "font-family='system-ui, Segoe UI, DejaVu Sans, sans-serif'"


@dataclass
class _Box:
    node: Node
    x: float
    y: float
    width: float


def to_svg(graph: EventGraph) -> str:
    """Return a standalone SVG document."""
    boxes = _place(graph)
    width = max((box.x + box.width for box in boxes.values()), default=0) + _MARGIN
    height = max((box.y + _HEIGHT for box in boxes.values()), default=0) + _MARGIN + 30
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}' role='img' aria-label='{escape(graph.name, quote=True)}'>",
        f"<title>{escape(graph.name)}</title>",
        "<defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        "<path d='M0 0 L8 4 L0 8 z' fill='#64748b'/></marker></defs>",
        f"<rect width='{width:.0f}' height='{height:.0f}' fill='#ffffff'/>",
    ]
    parts += [_edge(edge, boxes) for edge in graph.edges]
    parts += [_node(box) for box in boxes.values()]
    parts.append(_legend(height))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _place(graph: EventGraph) -> dict[str, _Box]:
    layers = _layers(graph)
    boxes: dict[str, _Box] = {}
    tallest = max((len(layer) for layer in layers), default=0)
    x = float(_MARGIN)
    for layer in layers:
        widths = [len(graph.nodes[n].label) * _CHARACTER + _PADDING for n in layer]
        column = max(widths, default=0)
        top = _MARGIN + (tallest - len(layer)) * (_HEIGHT + _GAP_Y) / 2
        for row, (node_id, width) in enumerate(zip(layer, widths, strict=True)):
            boxes[node_id] = _Box(
                graph.nodes[node_id], x + (column - width) / 2, top + row * (_HEIGHT + _GAP_Y), width
            )
        x += column + _GAP_X
    return boxes


def _layers(graph: EventGraph) -> list[list[str]]:
    forward = _without_back_edges(graph)
    depth = dict.fromkeys(graph.nodes, 0)
    for node_id in _topological(graph, forward):
        for target in forward[node_id]:
            depth[target] = max(depth[target], depth[node_id] + 1)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node_id, level in depth.items():
        layers[level].append(node_id)
    neighbours: dict[str, set[str]] = {node_id: set() for node_id in graph.nodes}
    for edge in graph.edges:
        neighbours[edge.source].add(edge.target)
        neighbours[edge.target].add(edge.source)
    for sweep in range(_SWEEPS):
        position = {n: i - len(layer) / 2 for layer in layers for i, n in enumerate(layer)}
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda n: _mean([position[m] for m in neighbours[n]], position[n]))
            position.update({n: i - len(layer) / 2 for i, n in enumerate(layer)})
    return layers


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _without_back_edges(graph: EventGraph) -> dict[str, list[str]]:
    forward: dict[str, list[str]] = {node_id: [] for node_id in graph.nodes}
    state: dict[str, int] = {}
    roots = [n for n in graph.nodes if not any(e.target == n for e in graph.edges)] + list(graph.nodes)
    for root in roots:
        stack = [(root, iter(graph.successors(root)))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            node, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                state[node] = 2
                stack.pop()
            elif state.get(target) != 1:
                if target not in forward[node]:
                    forward[node].append(target)
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(graph.successors(target))))
    return forward


def _topological(graph: EventGraph, forward: dict[str, list[str]]) -> list[str]:
    incoming = dict.fromkeys(graph.nodes, 0)
    for targets in forward.values():
        for target in targets:
            incoming[target] += 1
    ready = [node_id for node_id, count in incoming.items() if count == 0]
    order = []
    while ready:
        node_id = ready.pop()
        order.append(node_id)
        for target in forward[node_id]:
            incoming[target] -= 1
            if incoming[target] == 0:
                ready.append(target)
    return order


def _node(box: _Box) -> str:
    fill, stroke, icon, radius = _LOOKS[box.node.kind]
    dashed = " stroke-dasharray='5 3'" if box.node.kind == "outside" else ""
    weight = "400" if box.node.kind in ("event", "outside") else "600"
    label = f"{icon} {box.node.label}".strip()
    return (
        f"<g><title>{escape(box.node.kind)}: {escape(box.node.label)}</title>"
        f"<rect x='{box.x:.1f}' y='{box.y:.1f}' width='{box.width:.1f}' height='{_HEIGHT}' rx='{radius}' "
        f"fill='{fill}' stroke='{stroke}' stroke-width='1.6'{dashed}/>"
        f"<text x='{box.x + box.width / 2:.1f}' y='{box.y + _HEIGHT / 2 + 5:.1f}' text-anchor='middle' {_FONT} "
        f"font-size='13' font-weight='{weight}' fill='#0f172a'>{escape(label)}</text></g>"
    )


def _edge(edge: Edge, boxes: dict[str, _Box]) -> str:
    source, target = boxes[edge.source], boxes[edge.target]
    x1, y1 = source.x + source.width, source.y + _HEIGHT / 2
    x2, y2 = target.x, target.y + _HEIGHT / 2
    if x2 > x1:
        bend = (x2 - x1) / 2
        path = f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 2:.1f} {y2:.1f}"
        label_x, label_y = (x1 + x2) / 2, (y1 + y2) / 2 - 5
    else:
        x1, x2 = source.x + source.width / 2, target.x + target.width / 2
        y1, y2 = source.y + _HEIGHT, target.y + _HEIGHT
        low = max(y1, y2) + 34
        path = f"M{x1:.1f} {y1:.1f} C{x1:.1f} {low:.1f} {x2:.1f} {low:.1f} {x2:.1f} {y2 + 2:.1f}"
        label_x, label_y = (x1 + x2) / 2, low - 10
    text = ""
    if edge.label:
        shown = edge.label if len(edge.label) <= 28 else edge.label[:27] + "…"
        text = (
            f"<text x='{label_x:.1f}' y='{label_y:.1f}' text-anchor='middle' {_FONT} font-size='10.5' fill='#475569' "
            f"stroke='#ffffff' stroke-width='3' paint-order='stroke'><title>{escape(edge.label)}</title>{escape(shown)}</text>"
        )
    return (
        f"<path d='{path}' fill='none' stroke='#64748b' stroke-width='1.3' marker-end='url(#arrow)'/>{text}"
    )


def _legend(height: float) -> str:
    words = {
        "agent": "agent",
        "human": "human",
        "automated": "code",
        "event": "event",
        "outside": "from outside",
    }
    parts, x = [], float(_MARGIN)
    for kind, word in words.items():
        fill, stroke, icon, _radius = _LOOKS[kind]
        parts.append(
            f"<rect x='{x:.0f}' y='{height - 26:.0f}' width='14' height='14' rx='3' fill='{fill}' stroke='{stroke}'/>"
            f"<text x='{x + 20:.0f}' y='{height - 14:.0f}' {_FONT} font-size='11' fill='#334155'>{icon} {word}</text>"
        )
        x += 44 + len(word) * 7
    return "".join(parts)
