"""Routes of registered agents and their runs (spec 3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, SecretStr

from tercet.agent.agents import RegisteredAgent
from tercet.agent.config import AgentConfig
from tercet.domain.codec import to_json
from tercet.domain.errors import InvalidInput, TercetError
from tercet.domain.status import ExecutionStatus
from tercet.store.agents import figures_of
from tercet.tools.security import SecurityContext
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse
from tercet.web.agent_wire import agent_to_wire, figures_to_wire, output_to_wire, state_of, worker_to_wire

router = APIRouter(prefix="/agents", tags=["agents"])
_LONGEST_INPUT = 1_000_000
_OWN_FIELDS = ("api_key", "is_active", "agent_config")


class OwnFields(BaseModel):
    """What an agent's body has beside the configuration. `api_key` is write-only."""

    model_config = ConfigDict(extra="ignore")

    api_key: SecretStr | None = Field(default=None, max_length=500)
    is_active: bool | None = None
    agent_config: dict[str, Any] | None = None


class CallerLimits(BaseModel):
    """How a caller narrows what the agent may do in a run."""

    model_config = ConfigDict(extra="ignore")

    permissions: list[str] | None = None
    rate_limit: dict[str, PositiveInt] = Field(default_factory=dict)


class RunIn(BaseModel):
    """A run to start."""

    model_config = ConfigDict(extra="forbid")

    input: str = Field(min_length=1, max_length=_LONGEST_INPUT)
    conversation_id: str | None = Field(default=None, max_length=64)
    """Go on with a conversation of `POST /agents/{id}/conversations`."""
    security_context: CallerLimits | None = None
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    stream: bool = False


class TestIn(BaseModel):
    """A sample input."""

    model_config = ConfigDict(extra="forbid")

    input: str = Field(default="Say hello.", min_length=1, max_length=_LONGEST_INPUT)


@router.post("", openapi_extra=body_schema(AgentConfig))
async def create(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Register an agent, from the create body or from an agent_config."""
    own, config = _read(await json_body(request), {})
    agent = await node.agents.create(
        config, owner_id=person.owner_id, is_active=own.is_active is not False, api_key=_secret(own.api_key)
    )
    return agent_to_wire(agent)


@router.get("")
async def list_all(
    node: Node,
    person: Caller,
    limit: Annotated[int, Query(ge=1, le=500)] = 500,
    after: Annotated[str | None, Query(max_length=64)] = None,
) -> list[dict[str, Any]]:
    """Return the agents in the order in which they were made."""
    return [
        _to_wire(node, agent)
        for agent in await node.agents.all(owner_id=person.owner_id, limit=limit, after=after)
    ]


@router.get("/{agent_id}")
async def show(agent_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return an agent."""
    return _to_wire(node, await node.agents.get(agent_id, owner_id=person.owner_id))


@router.put("/{agent_id}", openapi_extra=body_schema(AgentConfig))
async def change(agent_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Change the fields that are given. Runs that have begun keep what they began with."""
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    own, config = _read(
        await json_body(request), agent.config.model_dump(mode="json", by_alias=True, exclude_unset=True)
    )
    changed = await node.agents.change(agent, config, is_active=own.is_active, api_key=_secret(own.api_key))
    await node.plan_work.workers.refresh(agent_id)
    return _to_wire(node, changed)


@router.delete("/{agent_id}", status_code=204)
async def delete(agent_id: str, node: Node, person: Writer) -> Response:
    """Take an agent out of the registry. Its runs stay."""
    await node.agents.delete(await node.agents.get(agent_id, owner_id=person.owner_id))
    await node.plan_work.workers.refresh(agent_id)
    return Response(status_code=204)


def _to_wire(node: Node, agent: RegisteredAgent) -> dict[str, Any]:
    """Return an agent; of an agent worker also what it can do and when it was heard of."""
    worker = node.plan_work.workers.find(agent.id)
    return agent_to_wire(agent) | {
        "is_worker": worker is not None,
        **(worker_to_wire(worker) if worker else {}),
    }


@router.get("/{agent_id}/tools")
async def tools(agent_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return the agent's tools."""
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    items = node.agents.tools_of(agent.config)
    return {"agent_id": agent.id, "tools": items, "total_tools": len(items)}


@router.post("/{agent_id}/conversations", status_code=201)
async def start_conversation(agent_id: str, node: Node, person: Writer) -> dict[str, Any]:
    """Begin a conversation: runs that name it know what was said before."""
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    return {"conversation_id": await node.runs.start_conversation(agent), "agent_id": agent.id}


@router.post("/{agent_id}/execute", openapi_extra=body_schema(RunIn), response_model=None)
async def execute(agent_id: str, request: Request, node: Node, person: Writer) -> Response:
    """Run the agent and answer with the result; with `stream`, or Accept: text/event-stream, as events.

    202 when the run waits for a person; it goes on when somebody decides.
    """
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    wanted = parse(RunIn, await json_body(request))
    execution_id = node.engine.mint.mint("exe")
    start = _starter(node, agent, wanted, person.user, execution_id)
    if wanted.stream or "text/event-stream" in request.headers.get("accept", ""):
        return StreamingResponse(
            _stream(node, agent, wanted, execution_id, start),
            media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )  # fmt: skip
    execution_id = await start()
    status = await node.runs.wait(execution_id)
    body = await _answer(node, agent, wanted.input, execution_id, status)
    return JSONResponse(body, status_code=202 if body["output"] is None else 200)


@router.post("/{agent_id}/test", openapi_extra=body_schema(TestIn))
async def test(agent_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Run the agent on a sample; a failure is part of the answer."""
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    wanted = parse(TestIn, await json_body(request))
    execution_id = await node.runs.start(agent, wanted.input, source=person.user)
    status = await node.runs.wait(execution_id)
    try:
        answer = await _answer(node, agent, wanted.input, execution_id, status)
        output, error = answer["output"], None
    except TercetError as failure:
        output, error = None, {"error": failure.message, "code": failure.code}
    return {
        "agent_id": agent.id,
        "model": agent.config.model,
        "test_input": wanted.input,
        "test_output": output if error is None else {**error, "state": "failed"},
        "success": output is not None,
        "timestamp": _now(),
        "tokens_used": output["tokens_used"] if output else 0,
        "cost_usd": output["cost_usd"] if output else 0.0,
        "conversation_history": output["conversation_history"] if output else [],
        "execution_id": execution_id,
    }


@router.get("/{agent_id}/metrics")
async def metrics(agent_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return runs, success rate, mean time, tokens, cost, errors by type, tool calls."""
    agent = await node.agents.get(agent_id, owner_id=person.owner_id)
    return {"agent_id": agent.id, **figures_to_wire(await node.reader.read(figures_of, agent.id))}


def _read(body: Any, base: dict[str, Any]) -> tuple[OwnFields, AgentConfig]:
    """Return the agent's own fields and its configuration: what is given goes before `base`."""
    if not isinstance(body, dict):
        raise InvalidInput(
            "the body must be an object", detail=[{"field": "body", "rule": "must be an object"}]
        )
    own = parse(OwnFields, body)
    given = {name: value for name, value in body.items() if name not in _OWN_FIELDS}
    return own, parse(AgentConfig, {**base, **(own.agent_config or {}), **given})


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value is not None else None


def _starter(
    node: Node, agent: RegisteredAgent, wanted: RunIn, user: str, execution_id: str
) -> Callable[[], Awaitable[str]]:
    limits = wanted.security_context or CallerLimits()
    context = SecurityContext(
        user_id=user,
        organization_id=agent.owner_id,
        permissions=None if limits.permissions is None else frozenset(limits.permissions),
        rate_limit=limits.rate_limit,
    )

    async def start() -> str:
        return await node.runs.start(
            agent, wanted.input, source=user, conversation_id=wanted.conversation_id,
            security_context=context.model_dump(mode="json"), idempotency_key=wanted.idempotency_key,
            execution_id=execution_id,
        )  # fmt: skip

    return start


async def _answer(
    node: Node, agent: RegisteredAgent, text: str, execution_id: str, status: ExecutionStatus
) -> dict[str, Any]:
    outcome = await node.runs.outcome(execution_id)
    output = None
    if outcome["output"] is not None:
        output = output_to_wire(outcome["output"], await node.runs.history(execution_id))
    return {
        "task_id": outcome["task_id"],
        "agent_id": agent.id,
        "model": agent.config.model,
        "input": text,
        "output": output,
        "tokens_used": output["tokens_used"] if output else 0,
        "cost_usd": output["cost_usd"] if output else 0.0,
        "state": output["state"] if output else state_of(status),
        "created_at": _now(),
        "execution_id": execution_id,
        **({} if output else {"message": outcome["message"]}),
    }


async def _stream(
    node: Node, agent: RegisteredAgent, wanted: RunIn, execution_id: str, start: Callable[[], Awaitable[str]]
) -> AsyncIterator[str]:
    """Yield the run's events, then its answer or its error. A reader who leaves does not end the run."""
    try:
        async for event in node.runs.events(execution_id, start):
            yield _sse(event["type"], {"execution_id": execution_id, **event["data"]})
        execution_id = await start() if wanted.idempotency_key else execution_id
        status = await node.runs.wait(execution_id)
        answer = await _answer(node, agent, wanted.input, execution_id, status)
        yield _sse("task.completed" if answer["output"] else "task.waiting", answer)
    except TercetError as error:
        yield _sse(
            "task.failed",
            {
                "success": False,
                "error": error.message,
                "code": error.code,
                "timestamp": _now(),
                "execution_id": execution_id,
            },
        )


def _sse(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {to_json(data)}\n\n"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
