"""The graph that a manifest describes: events, handlers, and what leads where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tercet.manifest.handlers import Emit
from tercet.manifest.humans import HumanEmit
from tercet.manifest.schema import Agent, Cron, FanIn, Function, Manifest, Webhook

NodeKind = Literal["event", "agent", "human", "automated", "outside", "cron", "webhook"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One box."""

    id: str
    kind: NodeKind
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """One arrow."""

    source: str
    target: str
    label: str = ""


@dataclass(kw_only=True)
class EventGraph:
    """Nodes by id, and edges in the order of the manifest."""

    name: str
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def successors(self, node_id: str) -> list[str]:
        """Return where the edges of a node lead."""
        return [edge.target for edge in self.edges if edge.source == node_id]


def emitted_events(function: Function) -> list[tuple[str, str]]:
    """Return (event, label) of everything a function may emit, routes included."""
    out = [(emit.event, emit_label(emit)) for emit in function.emits]
    out += [(route.emit, value) for value, route in function.routes.items()]
    if function.default_route is not None:
        out.append((function.default_route.emit, "else"))
    return out


def trigger_events(handler: Agent | Function) -> list[str]:
    """Return the events that start a handler (none for cron and webhook)."""
    if isinstance(handler, Agent):
        return [trigger.event for trigger in handler.triggers]
    if isinstance(handler.trigger, FanIn):
        return [handler.trigger.primary, *handler.trigger.wait_for]
    if isinstance(handler.trigger, (Cron, Webhook)):
        return []
    return [handler.trigger.event]


def emit_label(emit: Emit) -> str:
    """Return the words on an emit's arrow."""
    parts = []
    if isinstance(emit, HumanEmit) and emit.on != "always":
        parts.append(f"on {emit.on}")
    if emit.when:
        parts.append(f"when {emit.when}")
    if emit.delay:
        parts.append(f"after {emit.delay:g} s")
    return ", ".join(parts)


def event_graph(manifest: Manifest) -> EventGraph:
    """Return the manifest's graph. Events that nothing emits come from outside: a person or another system."""
    graph = EventGraph(name=manifest.name)
    emitted: set[str] = set()
    for agent in manifest.agents:
        _handler(
            graph, agent.name, "agent", trigger_events(agent), [(e.event, emit_label(e)) for e in agent.emits]
        )
        emitted |= {e.event for e in agent.emits}
    for step in manifest.humans:
        _handler(
            graph, step.name, "human", [step.trigger.event], [(e.event, emit_label(e)) for e in step.emits]
        )
        emitted |= {e.event for e in step.emits}
    for function in manifest.functions:
        out = emitted_events(function)
        _handler(graph, function.name, "automated", trigger_events(function), out)
        emitted |= {event for event, _ in out}
        _source(graph, function)
    for node_id, node in list(graph.nodes.items()):
        if node.kind == "event" and node.label not in emitted:
            graph.nodes[node_id] = Node(id=node_id, kind="outside", label=node.label)
    return graph


def _handler(
    graph: EventGraph, name: str, kind: NodeKind, triggers: list[str], emits: list[tuple[str, str]]
) -> None:
    node_id = f"handler:{name}"
    graph.nodes[node_id] = Node(id=node_id, kind=kind, label=name)
    for event in triggers:
        graph.edges.append(Edge(source=_event(graph, event), target=node_id))
    for event, label in emits:
        graph.edges.append(Edge(source=node_id, target=_event(graph, event), label=label))


def _source(graph: EventGraph, function: Function) -> None:
    if isinstance(function.trigger, Cron):
        kind: NodeKind = "cron"
        label = function.trigger.schedule or f"{function.trigger.cron} {function.trigger.timezone}"
    elif isinstance(function.trigger, Webhook):
        kind, label = "webhook", f"POST {function.trigger.webhook}"
    else:
        return
    node_id = f"{kind}:{function.name}"
    graph.nodes[node_id] = Node(id=node_id, kind=kind, label=label)
    graph.edges.append(Edge(source=node_id, target=f"handler:{function.name}"))


def _event(graph: EventGraph, name: str) -> str:
    node_id = f"event:{name}"
    graph.nodes.setdefault(node_id, Node(id=node_id, kind="event", label=name))
    return node_id
