"""Reads a PlanExe run: the tree from 023-3, edges from 021, durations from 022-2, roles from 008-2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput
from tercet.plans.model import Dependency, Plan, PlanPhase, PlanSubtask, PlanTask
from tercet.plans.network import CyclicPlan, build_network
from tercet.plans.problems import PlanProblem

_TREE, _EDGES, _DURATIONS, _ROLES, _PROMPT = "023-3-", "021-", "022-2-", "008-2-", "001-2-"
_HOURS_A_DAY = 8
_LONGEST_DAYS = 40_000
_LONGEST_GOAL = 100_000


def read_planexe(
    files: Mapping[str, bytes], *, sequential_siblings: bool = False
) -> tuple[Plan, list[PlanProblem]]:
    """Return the plan and what was left out. Raises InvalidInput when there is no tree, or it cannot be read.

    With `sequential_siblings` tasks of a phase, and phases, follow each other as PlanExe's own schedule has it,
    where the edges do not say otherwise.
    """
    reader = _Reader(files)
    plan = reader.read()
    if sequential_siblings:
        plan = _with_sequence(plan, reader.problems)
    return plan, reader.problems


class _Reader:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.problems: list[PlanProblem] = []
        self._names: dict[str, str] = {}
        self._task_of: dict[str, str] = {}

    def read(self) -> Plan:
        name, tree = self._json(_TREE, needed=True)
        root = tree.get("wbs_project") if isinstance(tree, dict) else None
        if not isinstance(root, dict):
            raise InvalidInput(f"{name}: there is no wbs_project")
        hours = self._durations()
        phases = [self._phase(node, hours) for node in _children(root)]
        for problem_id in sorted(set(hours) - set(self._names) - {str(root.get("id"))}):
            self._report(
                _DURATIONS,
                problem_id,
                "unknown-task",
                f"a duration names {problem_id!r}, which is not in the tree",
            )
        return Plan(
            title=str(root.get("description") or "Plan")[:2_000],
            goal=self._goal(),
            phases=phases,
            dependencies=self._edges(),
            roles_required=self._roles(),
        )

    def _phase(self, node: dict[str, Any], hours: dict[str, float]) -> PlanPhase:
        phase_id = self._named(node)
        tasks = [self._task(child, hours) for child in _children(node)]
        return PlanPhase(phase_id=phase_id, name=_title(node), tasks=tasks)

    def _task(self, node: dict[str, Any], hours: dict[str, float]) -> PlanTask:
        task_id = self._named(node)
        subtasks = [
            PlanSubtask(subtask_id=self._named(child), title=_title(child), description=_details(child))
            for child in _children(node)
        ]
        self._task_of.update({subtask.subtask_id: task_id for subtask in subtasks})
        return PlanTask(
            task_id=task_id, title=_title(node), description=_details(node), estimated_hours=hours.get(task_id),
            subtasks=subtasks,
        )  # fmt: skip

    def _named(self, node: dict[str, Any]) -> str:
        node_id = str(node.get("id") or "")
        if not node_id:
            raise InvalidInput(f"{self._file(_TREE)}: a task has no id")
        if node_id in self._names:
            raise InvalidInput(f"{self._file(_TREE)}: two tasks have the id {node_id!r}")
        self._names[node_id] = _title(node)
        return node_id

    def _durations(self) -> dict[str, float]:
        """Return hours by task; rows that cannot be are reported."""
        _, rows = self._json(_DURATIONS)
        found: dict[str, float] = {}
        for row in rows if isinstance(rows, list) else []:
            if not isinstance(row, dict):
                continue
            task_id = str(row.get("task_id"))
            given = [row.get(key) for key in ("days_min", "days_realistic", "days_max")]
            days = [float(d) for d in given if isinstance(d, (int, float)) and not isinstance(d, bool)]
            if len(days) < 3 or not 0 < days[0] <= days[1] <= days[2] <= _LONGEST_DAYS:
                self._report(
                    _DURATIONS,
                    task_id,
                    "impossible-duration",
                    f"the duration of {task_id!r} is impossible: {given}",
                )
            else:
                found[task_id] = days[1] * _HOURS_A_DAY
        return found

    def _edges(self) -> list[Dependency]:
        _, body = self._json(_EDGES)
        found: list[Dependency] = []
        for entry in (body or {}).get("task_dependency_details", []) if isinstance(body, dict) else []:
            after = str(entry.get("dependent_task_id"))
            befores = [str(before) for before in entry.get("depends_on_task_id_list", [])]
            reasons = [str(reason) for reason in entry.get("depends_on_task_explanation_list", [])]
            if len(reasons) != len(befores):
                self._report(
                    _EDGES, after, "explanation-count",
                    f"{after!r} has {len(befores)} dependencies and {len(reasons)} explanations",
                )  # fmt: skip
            for index, before in enumerate(befores):
                missing = [name for name in (before, after) if name not in self._names]
                if missing:
                    self._report(
                        _EDGES, after, "dangling-dependency",
                        f"{self._names.get(after, after)!r} depends on {missing[0]!r}, which is not in the tree",
                    )  # fmt: skip
                elif before != after:
                    reason = reasons[index] if index < len(reasons) else ""
                    found.append(Dependency(from_id=before, to_id=after, reason=reason[:5_000]))
        return self._between_tasks(found)

    def _between_tasks(self, edges: list[Dependency]) -> list[Dependency]:
        """An edge of a subtask counts for its task; within one task it says nothing to the schedule."""
        found: dict[tuple[str, str], Dependency] = {}
        for edge in edges:
            before, after = (
                self._task_of.get(edge.from_id, edge.from_id),
                self._task_of.get(edge.to_id, edge.to_id),
            )
            if before != after:
                found.setdefault((before, after), edge.model_copy(update={"from_id": before, "to_id": after}))
        return list(found.values())

    def _roles(self) -> list[str]:
        _, rows = self._json(_ROLES)
        return [
            str(row["category"])[:500] for row in rows or [] if isinstance(row, dict) and row.get("category")
        ]

    def _goal(self) -> str:
        raw = self._files.get(self._file(_PROMPT), b"")
        return raw.decode("utf-8", "replace").strip()[:_LONGEST_GOAL]

    def _file(self, prefix: str) -> str:
        return next((name for name in sorted(self._files) if name.startswith(prefix)), prefix + "…")

    def _json(self, prefix: str, *, needed: bool = False) -> tuple[str, Any]:
        name = next((n for n in sorted(self._files) if n.startswith(prefix) and n.endswith(".json")), None)
        if name is None:
            if needed:
                raise InvalidInput(f"there is no file {prefix}….json", hint="give a whole PlanExe run")
            return prefix, None
        try:
            return name, from_json(self._files[name])
        except ValueError as error:
            if needed:
                raise InvalidInput(f"{name}: it is not JSON: {error}") from error
            self._report(prefix, name, "not-json", f"{name} is not JSON and was left out")
            return name, None

    def _report(self, prefix: str, place: str, rule: str, message: str) -> None:
        hints = {
            "dangling-dependency": "the dependency was left out",
            "impossible-duration": "the task was imported without a duration",
            "unknown-task": "the duration was left out",
            "explanation-count": "explanations beyond the dependencies were left out",
        }
        self.problems.append(
            PlanProblem(
                place=f"{self._file(prefix)}: {place}",
                rule=rule,
                message=message,
                hint=hints.get(rule, "it was left out"),
            )
        )


def _with_sequence(plan: Plan, problems: list[PlanProblem]) -> Plan:
    """Add a dependency between neighbours, unless the plan would then wait for itself."""
    neighbours = list(zip(plan.phases, plan.phases[1:], strict=False))
    pairs = [(a.phase_id, b.phase_id) for a, b in neighbours]
    for phase in plan.phases:
        pairs += [(a.task_id, b.task_id) for a, b in zip(phase.tasks, phase.tasks[1:], strict=False)]
    known = {(d.from_id, d.to_id) for d in plan.dependencies}
    for before, after in pairs:
        if (before, after) in known:
            continue
        longer = plan.model_copy(
            update={
                "dependencies": [
                    *plan.dependencies,
                    Dependency(from_id=before, to_id=after, reason="sibling order"),
                ]
            }
        )
        try:
            build_network(longer).order({})
        except CyclicPlan:
            problems.append(
                PlanProblem(
                    place=after, rule="sibling-order",
                    message=f"{after!r} cannot follow its sibling {before!r}: an edge says otherwise",
                    hint="the edge holds, the order was left out",
                )
            )  # fmt: skip
            continue
        plan = longer
    return plan


def _children(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [child for child in node.get("task_children") or [] if isinstance(child, dict)]


def _title(node: dict[str, Any]) -> str:
    return str(node.get("description") or "")[:2_000]


def _details(node: dict[str, Any]) -> str:
    extra = node.get("extra_fields")
    parts = []
    for key, value in (extra if isinstance(extra, dict) else {}).items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(f"{key.replace('_', ' ')}: {text}")
    return "\n".join(parts)[:20_000]
