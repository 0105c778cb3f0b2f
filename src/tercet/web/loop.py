"""Routes of loops (spec 4): start one, see where it stands, go on from one of its turns. The rest is /executions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from tercet.domain.errors import InvalidInput, NotAllowed
from tercet.humans.person import Person
from tercet.loop.config import LoopConfig
from tercet.loop.standing import Standing
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse

router = APIRouter(prefix="/loops", tags=["loops"])
_ON_DISK_ONLY = "workspace"
"""A folder of the server is nothing that a caller may name."""


class ForkRequest(BaseModel):
    """Where to go on, and what is different there: fields of a loop's configuration."""

    model_config = ConfigDict(extra="forbid")

    turn: int | None = Field(default=None, ge=0)
    changes: dict[str, Any] = Field(default_factory=dict)


@router.post("", status_code=201, openapi_extra=body_schema(LoopConfig))
async def start(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Start a loop: the fields of its configuration, of which `goal` is required."""
    body = await json_body(request)
    if not isinstance(body, dict):
        raise InvalidInput("the body has to be an object", detail=[{"field": "body", "rule": "is an object"}])
    key = body.pop("idempotency_key", None)
    if key is not None and not isinstance(key, str):
        raise InvalidInput(
            "idempotency_key has to be a text", detail=[{"field": "idempotency_key", "rule": "is a text"}]
        )
    _refuse_folders(body)
    execution_id = await node.loops.start(
        parse(LoopConfig, body), owner_id=person.owner_id, source=person.user, idempotency_key=key
    )
    return await _wire(node, person, execution_id)


@router.get("/{execution_id}")
async def show(
    execution_id: str,
    node: Node,
    person: Caller,
    turn: Annotated[int | None, Query(ge=0, description="the state after this turn")] = None,
) -> dict[str, Any]:
    """Return the loop's state, and which node comes next; `next_node` is null when it has ended."""
    return await _wire(node, person, execution_id, turn)


@router.post("/{execution_id}/fork", status_code=201, openapi_extra=body_schema(ForkRequest))
async def fork(execution_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Start a loop that goes on after a turn of this one, by default the last; earlier turns are not paid again."""
    wanted = parse(ForkRequest, await json_body(request))
    _refuse_folders(wanted.changes)
    at = await node.loops.standing(execution_id, owner_id=person.owner_id)
    new_id = await node.loops.fork(
        execution_id, turn=at.turn if wanted.turn is None else wanted.turn, owner_id=person.owner_id,
        source=person.user, changes=wanted.changes,
    )  # fmt: skip
    return await _wire(node, person, new_id)


async def _wire(node: Node, person: Person, execution_id: str, turn: int | None = None) -> dict[str, Any]:
    at: Standing = await node.loops.standing(execution_id, owner_id=person.owner_id, turn=turn)
    return {
        "execution_id": execution_id, "turn": at.turn, "next_node": None if at.state["reason"] else at.node,
        "state": at.state,
    }  # fmt: skip


def _refuse_folders(fields: dict[str, Any]) -> None:
    if fields.get(_ON_DISK_ONLY) is not None:
        raise NotAllowed("a folder of the server cannot be named over HTTP", hint="leave `workspace` out")
