"""Routes of plans (spec 5; the ones that it assumes)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from tercet.domain.clock import to_datetime, to_iso
from tercet.domain.errors import InvalidInput
from tercet.plans.exporting import write_csv, write_ical, write_json
from tercet.plans.library import StoredPlan
from tercet.plans.planner import PlanIn
from tercet.plans.reading.detect import read_any
from tercet.plans.schedule import Schedule, schedule
from tercet.plans.working_time import WorkingCalendar
from tercet.web.access import Caller, Cursor, Limit, Node, Writer, body_schema, json_body, page, parse

router = APIRouter(prefix="/plans", tags=["plans"])
Zone = Annotated[str, Query(max_length=100)]


@router.post("/import", status_code=201)
async def import_plan(
    request: Request,
    node: Node,
    person: Writer,
    title: Annotated[str, Query(min_length=1, max_length=500)] = "Plan",
    sequential_siblings: bool = False,
) -> dict[str, Any]:
    """Import a PlanExe run (zip), the plan JSON, or CSV: the body as it is. What is wrong is listed in `problems`."""
    content = await request.body()
    if not content:
        raise InvalidInput("the body is empty", hint="send a zip, JSON or CSV")
    imported = read_any(content, title=title, sequential_siblings=sequential_siblings)
    stored = await node.plans.add(imported, owner_id=person.owner_id)
    return {**_to_wire(stored), "usage_calls": len(imported.calls)}


@router.post("/generate", status_code=201, openapi_extra=body_schema(PlanIn), response_model=None)
async def generate(request: Request, node: Node, person: Writer) -> dict[str, Any] | Response:
    """Write a plan for a goal, and store it. Without a model it is an outline; `note` says so."""
    body = parse(PlanIn, await json_body(request))
    stored = await node.planner.generate(body, owner_id=person.owner_id, by=person.user)
    if body.output_format == "csv":
        headers = {"Location": f"/api/v1/plans/{stored.id}"}
        return Response(
            write_csv(stored.plan), status_code=201, media_type="text/csv; charset=utf-8", headers=headers
        )
    plan = stored.plan.model_dump(mode="json", by_alias=True)
    return {**_to_wire(stored), "plan": plan, "note": node.models.note}


@router.get("")
async def list_all(node: Node, person: Caller, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """Return plans, newest first."""
    rows = await node.plans.all(owner_id=person.owner_id, limit=limit, before=cursor)
    items = [
        {
            "plan_id": row["id"], "title": row["title"], "source": row["source"], "tasks_total": row["tasks_total"],
            "created_at": to_iso(row["created_at_ms"]),
        }
        for row in rows
    ]  # fmt: skip
    return page(items, limit, "plan_id")


@router.get("/{plan_id}")
async def show(plan_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return a plan with its phases, tasks, subtasks and dependencies."""
    stored = await node.plans.get(plan_id, owner_id=person.owner_id)
    return {**_to_wire(stored), "plan": stored.plan.model_dump(mode="json", by_alias=True)}


@router.get("/{plan_id}/tasks")
async def tasks(
    plan_id: str, node: Node, person: Caller, start: date | None = None, timezone: Zone = "UTC"
) -> dict[str, Any]:
    """Return the tasks with their planned times, floats and the critical path."""
    stored = await node.plans.get(plan_id, owner_id=person.owner_id)
    scheduled = schedule(stored.plan)
    calendar, day = _calendar(timezone), start or to_datetime(node.engine.clock.now_ms()).date()
    items = [
        {
            **task.model_dump(mode="json"), "plan_id": plan_id, "phase_id": phase.phase_id,
            **_planned(scheduled, task.task_id, calendar, day),
        }
        for phase in stored.plan.phases
        for task in phase.tasks
    ]  # fmt: skip
    return {
        "items": items, "critical_path": scheduled.critical_path, "total_hours": scheduled.total_minutes / 60,
        "start": day.isoformat(), "next_cursor": None,
    }  # fmt: skip


@router.put("/{plan_id}/tasks/{task_id}/subtasks")
async def edit_subtasks(
    plan_id: str, task_id: str, request: Request, node: Node, person: Writer
) -> dict[str, Any]:
    """Give a task other subtasks: a list, or {subtasks: […]}. Executions in which it has begun keep theirs."""
    body = await json_body(request)
    value = body.get("subtasks") if isinstance(body, dict) else body
    task = await node.plan_work.runs.edit_subtasks(plan_id, task_id, value, owner_id=person.owner_id)
    return {**task.model_dump(mode="json"), "plan_id": plan_id}


@router.get("/{plan_id}/export")
async def export(
    plan_id: str,
    node: Node,
    person: Caller,
    format: Literal["json", "csv", "ical"] = "json",
    start: date | None = None,
    timezone: Zone = "UTC",
) -> Response:
    """Return the plan as JSON or CSV, which read back as they were, or its planned times as iCalendar."""
    stored = await node.plans.get(plan_id, owner_id=person.owner_id)
    if format == "json":
        return Response(write_json(stored.plan), media_type="application/json")
    if format == "csv":
        return Response(write_csv(stored.plan), media_type="text/csv; charset=utf-8")
    day = start or to_datetime(node.engine.clock.now_ms()).date()
    return Response(
        write_ical(stored.plan, calendar=_calendar(timezone), start=day),
        media_type="text/calendar; charset=utf-8",
    )


@router.delete("/{plan_id}", status_code=204)
async def delete(plan_id: str, node: Node, person: Writer) -> Response:
    """Take a plan out of the library. Its executions and its costs stay."""
    await node.plans.delete(await node.plans.get(plan_id, owner_id=person.owner_id))
    return Response(status_code=204)


def _to_wire(stored: StoredPlan) -> dict[str, Any]:
    plan = stored.plan
    return {
        "plan_id": stored.id, "title": plan.title, "goal": plan.goal, "source": stored.source,
        "phases_total": len(plan.phases), "tasks_total": len(list(plan.tasks)),
        "subtasks_total": sum(len(task.subtasks) for task in plan.tasks),
        "dependencies_total": len(plan.all_dependencies()), "problems": stored.problems,
        "created_at": to_iso(stored.created_at_ms),
    }  # fmt: skip


def _planned(scheduled: Schedule, name: str, calendar: WorkingCalendar, day: date) -> dict[str, Any]:
    times = scheduled.times[name]
    begins, ends = scheduled.planned(name, calendar, day)
    return {
        "planned_start": begins.isoformat().replace("+00:00", "Z"), "planned_finish": ends.isoformat().replace("+00:00", "Z"),
        "total_float_hours": times.total_float / 60, "free_float_hours": times.free_float / 60, "is_critical": times.is_critical,
    }  # fmt: skip


def _calendar(zone: str) -> WorkingCalendar:
    return WorkingCalendar(zone=zone)
