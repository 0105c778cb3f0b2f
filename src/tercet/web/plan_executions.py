"""Routes of executions of plans: start, status, what agents report, the tree (spec 5 §2)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tercet.domain.codec import digest
from tercet.domain.errors import InvalidInput, NotFound
from tercet.flows.wire import execution_to_wire
from tercet.plans.report_model import MOST_IN_A_BATCH, AgentEvent
from tercet.plans.tree import plan_tree
from tercet.store.listing import get_execution, tasks_of
from tercet.store.plans import load_any_plan
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse
from tercet.web.agent_access import act_as, check_known
from tercet.web.views import Reveal, view_of

router = APIRouter(prefix="/executions", tags=["executions of plans"])


class PlanStartIn(BaseModel):
    """A plan to execute, and who may take its work: an agent, several, or `*` for all."""

    model_config = ConfigDict(extra="forbid")

    plan_id: str = Field(min_length=1, max_length=64)
    agent_id: str | None = Field(default=None, min_length=1, max_length=64)
    agent_ids: list[str] = Field(default_factory=list, max_length=1_000)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    @model_validator(mode="after")
    def _somebody(self) -> PlanStartIn:
        if not self.names:
            raise ValueError("agent_id or agent_ids is required; '*' stands for all agents")
        return self

    @property
    def names(self) -> list[str]:
        """Who may take the work, each once."""
        return list(dict.fromkeys([*([self.agent_id] if self.agent_id else []), *self.agent_ids]))


class BatchIn(BaseModel):
    """Many events of one agent."""

    model_config = ConfigDict(extra="forbid")

    events: list[Any] = Field(min_length=1, max_length=MOST_IN_A_BATCH)


@router.post("", status_code=201, openapi_extra=body_schema(PlanStartIn))
async def start(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Start an execution of a plan. `unsupported_actions` lists what no agent of it can do."""
    wanted = parse(PlanStartIn, await json_body(request))
    receipt, missing = await node.plan_work.runs.start(
        wanted.plan_id, agent_ids=wanted.names, owner_id=person.owner_id, by=person.user,
        idempotency_key=wanted.idempotency_key,
    )  # fmt: skip
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=receipt.execution_id)
    assert row is not None
    return {
        **execution_to_wire(row, node.reveals.masked),
        "unsupported_actions": missing,
        "duplicate": receipt.duplicate,
    }


@router.get("/{execution_id}/status")
async def status(execution_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return an execution without its tasks."""
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=execution_id)
    if row is None:
        raise NotFound(f"there is no execution {execution_id!r}")
    return execution_to_wire(row, node.reveals.masked) | await _current(node, row)


@router.get("/{execution_id}/tree")
async def tree(execution_id: str, node: Node, person: Caller, reveal: Reveal = False) -> dict[str, Any]:
    """Return the plan's phases, tasks and subtasks with what has happened to each, also before it begins."""
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=execution_id)
    if row is None or row["plan_id"] is None:
        raise NotFound(f"there is no execution of a plan {execution_id!r}")
    plan = await node.reader.read(load_any_plan, row["plan_id"])
    if plan is None:
        raise NotFound(f"the plan {row['plan_id']!r} is gone")
    tasks = await node.reader.read(tasks_of, execution_id)
    view = await view_of(node, person, reveal=reveal, execution_id=execution_id, what="tree")
    shown = plan_tree(plan, tasks, started_at_ms=row["created_at_ms"], view=view)
    return {"execution": execution_to_wire(row, view), **shown}


@router.post("/{execution_id}/events", status_code=201, openapi_extra=body_schema(AgentEvent))
async def report(execution_id: str, request: Request, response: Response, node: Node) -> dict[str, Any]:
    """Record an event of an agent worker. The same event again, by its key or its timestamp, answers as the first time."""
    await check_known(request)
    body = await json_body(request)
    event = parse(AgentEvent, body)
    worker = await act_as(request, response, event.agent_id)
    await _check_owner(node, execution_id, worker.owner_id)
    key = request.headers.get("idempotency-key")
    if key is not None and not 1 <= len(key) <= 200:
        raise InvalidInput("Idempotency-Key has 1 to 200 characters")
    return await node.plan_work.reports.report(
        execution_id, event, content=digest(body), worker=worker, idempotency_key=key
    )


@router.post("/{execution_id}/events/batch", status_code=201, openapi_extra=body_schema(BatchIn))
async def report_batch(execution_id: str, request: Request, response: Response, node: Node) -> dict[str, Any]:
    """Record many events of one agent as one unit. Events that are refused say why; the others are recorded."""
    await check_known(request)
    body = await json_body(request)
    listed = parse(BatchIn, {"events": body} if isinstance(body, list) else body).events
    events = [parse(AgentEvent, item, prefix=f"events.{number}.") for number, item in enumerate(listed)]
    worker = await act_as(request, response, events[0].agent_id)
    await _check_owner(node, execution_id, worker.owner_id)
    answers = await node.plan_work.reports.report_batch(
        execution_id, events, contents=[digest(item) for item in listed], worker=worker
    )
    recorded = sum(1 for answer in answers if answer["recorded"])
    return {"recorded": recorded, "refused": len(answers) - recorded, "items": answers}


async def _check_owner(node: Node, execution_id: str, owner_id: str) -> None:
    state = node.engine.states.get(execution_id)
    if state is not None:
        owner: str | None = state.owner_id
    else:
        row = await node.reader.read(get_execution, owner_id=owner_id, execution_id=execution_id)
        owner = row["owner_id"] if row is not None else None
    if owner != owner_id:
        raise NotFound(f"there is no execution {execution_id!r}")


async def _current(node: Node, row: dict[str, Any]) -> dict[str, Any]:
    if row["plan_id"] is None or row["completed_at_ms"] is not None:
        return {}
    async with node.engine.hold(row["id"]) as state:
        task_id, title = node.plan_work.work.held_title(row["id"])
        return {"current_task_id": task_id, "current_task_title": title, "agent_ids": sorted(state.agents)}
