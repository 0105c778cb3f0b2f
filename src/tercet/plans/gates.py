"""What has to happen before a task may begin: dependencies between tasks and phases, told by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from tercet.plans.model import Dependency, Plan

_HOUR_MS = 3_600_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """A task that another one waits for: for its end, or only for its start."""

    before: str
    for_start: bool = False
    lag_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class Gates:
    """The gates of every task, and which tasks a task stands before."""

    of: Mapping[str, tuple[Gate, ...]]
    followers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def opens_at_ms(
        self, task_id: str, *, ended_at_ms: Mapping[str, int], started_at_ms: Mapping[str, int]
    ) -> int | None:
        """Return from when the task may begin (0: at once), or None while something is missing."""
        opens = 0
        for gate in self.of.get(task_id, ()):
            at_ms = ended_at_ms.get(gate.before)
            if at_ms is None and gate.for_start:
                at_ms = started_at_ms.get(gate.before)
            if at_ms is None:
                return None
            opens = max(opens, at_ms + gate.lag_ms if gate.lag_ms > 0 else 0)
        return opens


def find_gates(plan: Plan) -> Gates:
    """Return the gates of a plan's tasks.

    Finish-to-start and start-to-start decide when a task begins; the links to a finish describe the schedule
    only. A positive lag is waited for (elapsed hours); a phase stands for all of its tasks.
    """
    members = {phase.phase_id: [task.task_id for task in phase.tasks] for phase in plan.phases}
    found: dict[str, dict[tuple[str, bool], Gate]] = defaultdict(dict)
    for dependency in plan.all_dependencies():
        if not dependency.type.endswith("to_start"):
            continue
        gates = [
            _gate(dependency, before) for before in members.get(dependency.from_id, [dependency.from_id])
        ]
        for after in members.get(dependency.to_id, [dependency.to_id]):
            found[after].update(
                {(gate.before, gate.for_start): gate for gate in gates if gate.before != after}
            )
    of = {task_id: tuple(gates.values()) for task_id, gates in found.items()}
    followers: dict[str, list[str]] = defaultdict(list)
    for task_id, its_gates in of.items():
        for gate in its_gates:
            followers[gate.before].append(task_id)
    return Gates(of=of, followers={before: tuple(after) for before, after in followers.items()})


def _gate(dependency: Dependency, before: str) -> Gate:
    return Gate(
        before=before,
        for_start=dependency.type == "start_to_start",
        lag_ms=round(dependency.lag_hours * _HOUR_MS),
    )
