"""A plan with what an execution made of it: phases, tasks, subtasks; planned and actual times side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.domain.clock import to_datetime, to_iso
from tercet.domain.codec import from_json
from tercet.plans.model import Plan, PlanSubtask, PlanTask
from tercet.plans.moves import read_subtasks
from tercet.plans.schedule import Schedule, schedule
from tercet.plans.working_time import WorkingCalendar
from tercet.store.reader import Record


def plan_tree(
    row: Record, tasks: list[Record], *, started_at_ms: int, view: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return {plan_id, title, phases: [{…, tasks: [{…, subtasks}]}], critical_path}; what has not begun is WAITING.

    `view` is applied to what a run has said: messages and results.
    """
    plan = Plan.model_validate(from_json(row["body"]))
    by_handler = {task["handler"]: task for task in tasks}
    scheduled = schedule(plan)
    day = to_datetime(started_at_ms).date()

    def planned(task_id: str) -> dict[str, Any]:
        return _planned(scheduled, task_id, day)

    return {
        "plan_id": row["id"],
        "title": plan.title,
        "goal": plan.goal,
        "critical_path": scheduled.critical_path,
        "phases": [
            {
                "phase_id": phase.phase_id,
                "name": phase.name,
                "tasks": [
                    _task(task, by_handler.get(task.task_id), view) | planned(task.task_id)
                    for task in phase.tasks
                ],
            }
            for phase in plan.phases
        ],
    }


def _task(task: PlanTask, row: Record | None, view: Callable[[Any], Any]) -> dict[str, Any]:
    steps = {step["name"]: step for step in row["subtasks"]} if row is not None else {}
    subtasks = read_subtasks(row["input"]) if row is not None and row["input"] else task.subtasks
    done = sum(
        1
        for s in subtasks
        if s.subtask_id in steps and steps[s.subtask_id]["status"] in ("COMPLETE", "SKIPPED")
    )
    return {
        "task_id": task.task_id,
        "execution_task_id": row["id"] if row is not None else None,
        "title": task.title,
        "assignee_role": task.assignee_role,
        "risk_tier": task.risk_tier,
        "acceptance_criteria": task.acceptance_criteria,
        "estimated_hours": task.estimated_hours,
        "status": row["status"] if row is not None else "WAITING",
        "status_message": view(row["status_message"]) if row is not None else None,
        "error_message": view(row["error_message"]) if row is not None else None,
        "subtasks_total": len(subtasks),
        "subtasks_completed": done,
        "progress_percent": 100
        if row is not None and row["status"] == "COMPLETE"
        else 100 * done // max(1, len(subtasks)),
        "started_at": to_iso(row["started_at_ms"]) if row is not None else None,
        "completed_at": to_iso(row["completed_at_ms"]) if row is not None else None,
        "subtasks": [_subtask(subtask, steps.get(subtask.subtask_id), view) for subtask in subtasks],
    }


def _subtask(subtask: PlanSubtask, step: Record | None, view: Callable[[Any], Any]) -> dict[str, Any]:
    return {
        "subtask_id": subtask.subtask_id,
        "title": subtask.title,
        "action": subtask.action,
        "params": subtask.params,
        "prerequisites": subtask.prerequisites,
        "status": step["status"] if step is not None else "WAITING",
        "attempt": step["attempt"] if step is not None else 0,
        "agent_id": step["agent_id"] if step is not None else None,
        "error_type": step["error_type"] if step is not None else None,
        "error_message": view(step["error_message"]) if step is not None else None,
        "result_data": view(from_json(step["result_data"]))
        if step is not None and step["result_data"]
        else None,
        "started_at": to_iso(step["started_at_ms"]) if step is not None else None,
        "completed_at": to_iso(step["completed_at_ms"]) if step is not None else None,
    }


def _planned(scheduled: Schedule, task_id: str, day: Any) -> dict[str, Any]:
    begins, ends = scheduled.planned(task_id, WorkingCalendar(zone="UTC"), day)
    return {
        "planned_start": begins.isoformat().replace("+00:00", "Z"),
        "planned_finish": ends.isoformat().replace("+00:00", "Z"),
        "is_critical": scheduled.times[task_id].is_critical,
    }
