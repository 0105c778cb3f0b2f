"""Routes of executions and their tasks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from tercet.domain.errors import NotFound
from tercet.domain.status import ExecutionStatus
from tercet.flows.wire import (
    costs_to_wire,
    event_to_wire,
    execution_to_wire,
    plan_event_to_wire,
    task_to_wire,
)
from tercet.store.archiving import is_archived
from tercet.store.listing import MOST_TASKS, costs_of, get_execution, list_events, list_executions, tasks_of
from tercet.store.reader import Record
from tercet.web.access import Caller, Cursor, Limit, Node, Writer, body_schema, json_body, page, parse
from tercet.web.views import Reveal, view_of

router = APIRouter(prefix="/executions", tags=["executions"])


class StatusChange(BaseModel):
    """The wanted status. FAILED gives up on an execution whose failed tasks nobody will retry."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["PAUSED", "RUNNING", "CANCELLED", "FAILED"]
    reason: str = Field(default="", max_length=2_000)


async def _own(node: Node, person: Caller, execution_id: str) -> Record:
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=execution_id)
    if row is None:
        archived = await node.reader.read(is_archived, owner_id=person.owner_id, execution_id=execution_id)
        hint = f"it is archived; `tercet archive restore {execution_id}` puts it back" if archived else None
        raise NotFound(f"there is no execution {execution_id!r}", hint=hint)
    return row


@router.get("")
async def list_all(
    node: Node,
    person: Caller,
    kind: Annotated[str | None, Query(max_length=20)] = None,
    status: ExecutionStatus | None = None,
    plan_id: Annotated[str | None, Query(max_length=64)] = None,
    agent_id: Annotated[str | None, Query(max_length=64)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Return executions, newest first."""
    rows = await node.reader.read(
        list_executions,
        owner_id=person.owner_id,
        kind=kind,
        status=status,
        plan_id=plan_id,
        agent_id=agent_id,
        limit=limit,
        before=cursor,
    )
    return page([execution_to_wire(row, node.reveals.masked) for row in rows], limit, "execution_id")


@router.get("/{execution_id}")
async def show(execution_id: str, node: Node, person: Caller, reveal: Reveal = False) -> dict[str, Any]:
    """Return an execution with its task tree, costs and progress."""
    row = await _own(node, person, execution_id)
    view = await view_of(node, person, reveal=reveal, execution_id=execution_id, what="execution")
    tasks = await node.reader.read(tasks_of, execution_id)
    costs = await node.reader.read(costs_of, execution_id)
    return {
        **execution_to_wire(row, view),
        "costs": {**costs_to_wire(costs), "models": node.models.kind, "note": node.models.note},
        "tasks": [task_to_wire(task, view) for task in tasks],
        "tasks_truncated": len(tasks) == MOST_TASKS,
    }


@router.get("/{execution_id}/events")
async def events(
    execution_id: str,
    node: Node,
    person: Caller,
    type: Annotated[str | None, Query(max_length=200)] = None,
    task_id: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    cursor: Annotated[int | None, Query(ge=1)] = None,
    after: Annotated[int | None, Query(ge=0)] = None,
    reveal: Reveal = False,
) -> dict[str, Any]:
    """Return the event log: newest first, or oldest first from after a sequence number."""
    execution = await _own(node, person, execution_id)
    view = await view_of(node, person, reveal=reveal, execution_id=execution_id, what="events")
    rows = await node.reader.read(
        list_events, execution_id=execution_id, event_type=type, task_id=task_id, limit=limit, offset=offset,
        before_seq=cursor, after_seq=after,
    )  # fmt: skip
    to_wire = event_to_wire if execution["plan_id"] is None else plan_event_to_wire
    return page([to_wire(row, view) for row in rows], limit, "seq")


@router.patch("/{execution_id}", openapi_extra=body_schema(StatusChange))
async def change_status(execution_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Pause, resume, cancel or give up."""
    await _own(node, person, execution_id)
    change = parse(StatusChange, await json_body(request))
    if change.status == "PAUSED":
        await node.control.pause(execution_id, by=person.user)
    elif change.status == "RUNNING":
        await node.control.resume(execution_id, by=person.user)
    elif change.status == "CANCELLED":
        await node.cancelling.cancel_execution(execution_id, by=person.user, reason=change.reason)
    else:
        await node.cancelling.fail_execution(execution_id, reason=f"given up by {person.user}")
    return execution_to_wire(await _own(node, person, execution_id), node.reveals.masked)


@router.post("/{execution_id}/retry", status_code=201)
async def retry_execution(execution_id: str, node: Node, person: Writer) -> dict[str, Any]:
    """Retry: failed tasks of an open execution go on; an ended one starts anew, linked to the old one."""
    row = await _own(node, person, execution_id)
    if row["plan_id"] is not None and row["status"] in ("FAILED", "CANCELLED"):
        goes_on = await node.plan_work.runs.start_again(row, by=person.user)
    else:
        goes_on = await node.retries.retry(row, by=person.user)
    return execution_to_wire(await _own(node, person, goes_on), node.reveals.masked)


@router.post("/{execution_id}/tasks/{task_id}/retry")
async def retry_task(execution_id: str, task_id: str, node: Node, person: Writer) -> dict[str, Any]:
    """Queue a failed task again."""
    await _own(node, person, execution_id)
    await node.control.retry_task(execution_id, task_id, by=person.user)
    return await show(execution_id, node, person)


@router.post("/{execution_id}/tasks/{task_id}/skip")
async def skip_task(execution_id: str, task_id: str, node: Node, person: Writer) -> dict[str, Any]:
    """Go on without a failed or waiting task."""
    await _own(node, person, execution_id)
    await node.control.skip_task(execution_id, task_id, by=person.user)
    return await show(execution_id, node, person)
