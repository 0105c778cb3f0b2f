"""A plan as rows of a tree: phases, tasks, subtasks, each with its times."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.plans.model import Plan
from tercet.plans.schedule import Schedule


@dataclass(frozen=True, kw_only=True, slots=True)
class OutlineRow:
    """One line. `depth` is 0 for a phase, 1 for a task, 2 for a subtask."""

    id: str
    depth: int
    title: str
    note: str = ""
    hours: float | None = None
    is_critical: bool = False
    float_hours: float | None = None


def outline(plan: Plan, scheduled: Schedule | None = None) -> list[OutlineRow]:
    """Return the rows in order; with a schedule, the critical tasks and the floats."""
    rows: list[OutlineRow] = []
    for phase in plan.phases:
        rows.append(_row(phase.phase_id, 0, phase.name, scheduled))
        for task in phase.tasks:
            rows.append(
                _row(
                    task.task_id,
                    1,
                    task.title,
                    scheduled,
                    hours=task.estimated_hours,
                    note=task.assignee_role or "",
                )
            )
            rows += [
                OutlineRow(id=s.subtask_id, depth=2, title=s.title, note=s.action) for s in task.subtasks
            ]
    return rows


def _row(
    name: str,
    depth: int,
    title: str,
    scheduled: Schedule | None,
    *,
    hours: float | None = None,
    note: str = "",
) -> OutlineRow:
    times = scheduled.times.get(name) if scheduled is not None else None
    if times is None:
        return OutlineRow(id=name, depth=depth, title=title or name, hours=hours, note=note)
    length = (times.earliest_finish - times.earliest_start) / 60 if depth == 0 else hours
    return OutlineRow(
        id=name, depth=depth, title=title or name, hours=length, note=note, is_critical=times.is_critical,
        float_hours=times.total_float / 60,
    )  # fmt: skip
