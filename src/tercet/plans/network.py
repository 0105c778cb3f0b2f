"""The network behind a schedule: activities with durations, and links between their starts and finishes.

A phase has no duration of its own: it starts with its first task and finishes with its last, so it stands in the
network as two milestones. A link to or from a phase goes to one of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from tercet.domain.errors import InvalidInput
from tercet.plans.model import Dependency, DependencyType, Plan

START, FINISH = "#start", "#finish"
_MINUTES = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """`after` depends on `before`; the lag is in working minutes."""

    before: str
    after: str
    type: DependencyType
    lag_minutes: int = 0


@dataclass(kw_only=True)
class Network:
    """Activities by id with their durations in working minutes, and the links between them."""

    durations: dict[str, int] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)

    def order(self, names: dict[str, str]) -> list[str]:
        """Return the activities so that each comes after what it depends on. Raises CyclicPlan naming the cycle."""
        waits_for = dict.fromkeys(self.durations, 0)
        followers: dict[str, list[str]] = defaultdict(list)
        for link in self.links:
            waits_for[link.after] += 1
            followers[link.before].append(link.after)
        ready = [name for name, count in waits_for.items() if count == 0]
        ordered = []
        while ready:
            name = ready.pop()
            ordered.append(name)
            for after in followers[name]:
                waits_for[after] -= 1
                if waits_for[after] == 0:
                    ready.append(after)
        if len(ordered) < len(self.durations):
            raise CyclicPlan(_cycle({name for name, count in waits_for.items() if count}, followers), names)
        return ordered


class CyclicPlan(InvalidInput):
    """Tasks wait for each other."""

    code = "CYCLIC_PLAN"

    def __init__(self, cycle: list[str], names: dict[str, str]) -> None:
        ids = [part.removesuffix(START).removesuffix(FINISH) for part in cycle]
        shown = [name for index, name in enumerate(ids) if index == 0 or ids[index - 1] != name]
        path = " → ".join(repr(names.get(name, name)) for name in shown)
        super().__init__(
            f"the plan has a cycle: {path}", hint="remove one of these dependencies",
            detail=[{"field": "dependencies", "rule": "must not form a cycle", "cycle": shown}],
        )  # fmt: skip
        self.cycle = shown


def build_network(plan: Plan) -> Network:
    """Return the network of a plan. Raises InvalidInput for a dependency that names nothing."""
    network = Network()
    for phase in plan.phases:
        start, finish = phase.phase_id + START, phase.phase_id + FINISH
        network.durations[start] = network.durations[finish] = 0
        network.links.append(Link(before=start, after=finish, type="finish_to_start"))
        for task in phase.tasks:
            network.durations[task.task_id] = round((task.estimated_hours or 0) * _MINUTES)
            network.links.append(Link(before=start, after=task.task_id, type="finish_to_start"))
            network.links.append(Link(before=task.task_id, after=finish, type="finish_to_start"))
    groups = {phase.phase_id for phase in plan.phases}
    for dependency in plan.all_dependencies():
        network.links.append(_link(dependency, groups, network))
    return network


def _link(dependency: Dependency, groups: set[str], network: Network) -> Link:
    before, after, kind = dependency.from_id, dependency.to_id, dependency.type
    for name in (before, after):
        if name not in network.durations and name not in groups:
            raise InvalidInput(
                f"a dependency names {name!r}, which is no task and no phase",
                detail=[{"field": "dependencies", "rule": f"{name!r} does not exist"}],
            )
    if before in groups:
        before += START if kind.startswith("start") else FINISH
    if after in groups:
        after += START if kind.endswith("start") else FINISH
    return Link(before=before, after=after, type=kind, lag_minutes=round(dependency.lag_hours * _MINUTES))


def _cycle(left: set[str], followers: dict[str, list[str]]) -> list[str]:
    """Return one cycle among nodes of which each waits for another one of them; the first stands at both ends."""
    before = {after: name for name in left for after in followers[name] if after in left}
    path, seen = [], set()
    node = min(before)
    while node not in seen:
        seen.add(node)
        path.append(node)
        node = before[node]
    cycle = path[path.index(node) :]
    return [node, *reversed(cycle)]
