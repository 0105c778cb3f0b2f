"""Routes of agent workers: registration, capabilities, work (spec 5 §2)."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from tercet.domain.errors import InvalidInput
from tercet.plans.decomposition import DecomposeIn
from tercet.plans.moves import ANY_ACTION
from tercet.plans.workers import Capabilities, Registration, Worker
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse
from tercet.web.agent_access import act_as
from tercet.web.agent_wire import worker_to_wire

router = APIRouter(prefix="/agents", tags=["agent workers"])
LONGEST_WAIT_SECONDS = 300.0
_MOST_ACTIONS = 500


@router.post("/register", status_code=201, openapi_extra=body_schema(Registration))
async def register(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Register an agent worker. Its key, and the secret of its webhook, are shown once."""
    body = parse(Registration, await json_body(request))
    new = await node.plan_work.workers.register(body, owner_id=person.owner_id)
    answer = worker_to_wire(new.worker) | {"api_key": new.api_key}
    return answer | ({"webhook_secret": new.webhook_secret} if new.webhook_secret else {})


@router.get("/{agent_id}/work", response_model=None)
async def work(
    agent_id: str,
    request: Request,
    response: Response,
    node: Node,
    supported_actions: Annotated[str | None, Query(max_length=20_000)] = None,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_SECONDS)] = 0.0,
) -> dict[str, Any] | None:
    """Return the next work for the agent, or 204. With `wait` it answers as soon as there is some."""
    worker = await act_as(request, response, agent_id)
    workers = node.plan_work.workers
    workers.seen(worker)
    found = await node.plan_work.work.poll(
        worker,
        actions=_actions(worker, supported_actions),
        wait_seconds=wait,
        is_gone=request.is_disconnected,
    )
    if found is None:
        response.status_code = 204
        return None
    workers.seen(worker)
    return found


@router.post("/{agent_id}/decompose", openapi_extra=body_schema(DecomposeIn))
async def decompose(agent_id: str, request: Request, response: Response, node: Node) -> dict[str, Any]:
    """Split a task into subtasks for the agent; with `plan_id` they become those of the plan's task."""
    worker = await act_as(request, response, agent_id)
    body = parse(DecomposeIn, await json_body(request))
    return await node.planner.decompose(worker, body, by=agent_id)


@router.get("/{agent_id}/capabilities")
async def capabilities(agent_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return what an agent worker can do."""
    worker = node.plan_work.workers.get(agent_id, owner_id=person.owner_id)
    return {"agent_id": worker.id, "capabilities": worker.capabilities}


@router.put("/{agent_id}/capabilities", openapi_extra=body_schema(Capabilities))
async def change_capabilities(agent_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Replace what an agent worker can do. An agent's own key may not: it would give itself work."""
    body = parse(Capabilities, await json_body(request))
    worker = node.plan_work.workers.get(agent_id, owner_id=person.owner_id)
    await node.plan_work.workers.change_capabilities(worker, body)
    return {"agent_id": worker.id, "capabilities": worker.capabilities}


def _actions(worker: Worker, wanted: str | None) -> frozenset[str]:
    """Return the actions to look for: the agent's own, or those of them that the poll names."""
    if wanted is None or not wanted.strip():
        return worker.actions
    named = frozenset(part.strip() for part in wanted.split(",") if part.strip())
    if len(named) > _MOST_ACTIONS:
        raise InvalidInput(f"supported_actions names more than {_MOST_ACTIONS} actions")
    return named if ANY_ACTION in worker.actions else named & worker.actions
