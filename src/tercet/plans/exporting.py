"""A plan as JSON, CSV and iCalendar; the first two read back as they were."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime

from tercet.domain.codec import to_json
from tercet.plans.model import Plan, PlanSubtask, PlanTask
from tercet.plans.reading.plan_csv import COLUMNS
from tercet.plans.schedule import schedule
from tercet.plans.working_time import WorkingCalendar

_FORMULA_STARTS = ("=", "+", "@", "\t", "\r")


def write_json(plan: Plan) -> str:
    """Return the plan JSON."""
    return to_json(plan.model_dump(mode="json", by_alias=True))


def write_csv(plan: Plan) -> str:
    """Return one row a subtask, or a task that has none (RFC 4180)."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(COLUMNS), lineterminator="\r\n")
    writer.writeheader()
    for phase in plan.phases:
        for task in phase.tasks:
            first = {"phase_id": phase.phase_id, "phase": phase.name, **_task_cells(task)}
            rows = [{**first, **_subtask_cells(subtask)} for subtask in task.subtasks] or [first]
            writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def write_ical(plan: Plan, *, calendar: WorkingCalendar, start: date, now: datetime | None = None) -> bytes:
    """Return every task as an event at its planned time (RFC 5545). Raises CyclicPlan."""
    from icalendar import Calendar, Event

    scheduled = schedule(plan)
    out = Calendar()
    out.add("prodid", "-//Tercet//plans//EN")
    out.add("version", "2.0")
    stamp = now or datetime.now(UTC)
    for task in plan.tasks:
        begins, ends = scheduled.planned(task.task_id, calendar, start)
        event = Event()
        event.add("uid", f"{task.task_id}@tercet")
        event.add("dtstamp", stamp)
        event.add("summary", task.title or task.task_id)
        event.add("dtstart", begins)
        event.add("dtend", ends)
        if task.description:
            event.add("description", task.description)
        out.add_component(event)
    return bytes(out.to_ical())


def _task_cells(task: PlanTask) -> dict[str, str]:
    hours = task.estimated_hours
    return {
        "task_id": task.task_id,
        "task": task.title,
        "description": task.description,
        "assignee_role": task.assignee_role or "",
        "estimated_hours": "" if hours is None else f"{hours:g}",
        "priority": str(task.priority),
        "risk_tier": str(task.risk_tier),
        "prerequisites": " ".join(task.prerequisites),
    }


def _subtask_cells(subtask: PlanSubtask) -> dict[str, str]:
    return {"subtask_id": subtask.subtask_id, "subtask": subtask.title, "action": subtask.action}


def _safe(value: str) -> str:
    """A spreadsheet runs what begins like a formula; a space in front keeps it text."""
    return f" {value}" if value.startswith(_FORMULA_STARTS) else value
