"""Rules about the graph as a whole: reachability, cycles, states."""

from __future__ import annotations

from collections.abc import Iterator

from tercet.manifest.checks.known import Known
from tercet.manifest.problems import Finding, Path

_ENTRIES = frozenset({"outside", "cron", "webhook"})


def unreachable_handler(known: Known) -> Iterator[Finding]:
    """No outside event, cron or webhook leads to the handler."""
    graph = known.graph
    reached = {node.id for node in graph.nodes.values() if node.kind in _ENTRIES}
    reached |= {f"event:{event.name}" for event in known.manifest.events if event.outside}
    frontier = list(reached)
    while frontier:
        for target in graph.successors(frontier.pop()):
            if target not in reached:
                reached.add(target)
                frontier.append(target)
    for node_id, path in _handlers(known):
        if node_id not in reached:
            yield Finding(
                rule="unreachable-handler", message=f"nothing from outside ever leads to {node_id[8:]!r}",
                hint="start the chain with an outside event, a cron or a webhook", path=path,
            )  # fmt: skip


def endless_cycle(known: Known) -> Iterator[Finding]:
    """A cycle has neither a human step nor a cap (`config.max_hops`)."""
    if known.manifest.config.max_hops is not None:
        return
    graph = known.graph
    human = {node.id for node in graph.nodes.values() if node.kind == "human"}
    reported: set[frozenset[str]] = set()
    for node_id, path in _handlers(known):
        if node_id in human:
            continue
        cycle = _find_cycle(known, node_id, human)
        if cycle is not None and frozenset(cycle) not in reported:
            reported.add(frozenset(cycle))
            names = " → ".join(graph.nodes[n].label for n in [*cycle, cycle[0]])
            yield Finding(
                rule="endless-cycle", message=f"this cycle has no human step and no cap: {names}",
                hint="set config.max_hops, or put a human step into it", path=path,
            )  # fmt: skip


def unreachable_state(known: Known) -> Iterator[Finding]:
    """An agent starts in a state that no agent leads to."""
    produced: set[str] = set()
    for agent in known.manifest.agents:
        produced |= _states(agent.contract.state_out)
    if not produced:
        return
    outside = {node.label for node in known.graph.nodes.values() if node.kind == "outside"}
    for index, agent in enumerate(known.manifest.agents):
        is_first = any(trigger.event in outside for trigger in agent.triggers)
        for state in sorted(_states(agent.contract.state_in) - produced):
            if not is_first:
                yield Finding(
                    severity="warning", rule="unreachable-state", message=f"no agent's state_out is {state!r}",
                    hint=known.similar(state, produced), path=("agents", index, "contract", "state_in"),
                )  # fmt: skip


def _states(value: str | list[str] | None) -> set[str]:
    return set() if value is None else {value} if isinstance(value, str) else set(value)


def _handlers(known: Known) -> Iterator[tuple[str, Path]]:
    m = known.manifest
    for kind, blocks in (("agents", m.agents), ("functions", m.functions), ("humans", m.humans)):
        for index, block in enumerate(blocks):
            yield f"handler:{block.name}", (kind, index, "name")


def _find_cycle(known: Known, start: str, avoid: set[str]) -> list[str] | None:
    """Return a path from `start` back to itself that avoids some nodes, or None (depth-first, no recursion)."""
    graph = known.graph
    stack: list[tuple[str, list[str]]] = [(start, [start])]
    seen: set[str] = set()
    while stack:
        node, path = stack.pop()
        for target in graph.successors(node):
            if target == start:
                return path
            if target not in seen and target not in avoid:
                seen.add(target)
                stack.append((target, [*path, target]))
    return None


RULES = (unreachable_handler, endless_cycle, unreachable_state)
