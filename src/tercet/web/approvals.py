"""Routes of the inbox. GET never decides."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from tercet.flows.wire import approval_to_wire
from tercet.humans.decide import Decision
from tercet.store.approvals import list_approvals
from tercet.web.access import Caller, Cursor, Limit, Node, body_schema, json_body, page, parse

router = APIRouter(prefix="/approvals", tags=["approvals"])


class Revocation(BaseModel):
    """Why an approval is taken back."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(default="", max_length=2_000)


@router.get("")
async def list_all(
    node: Node,
    person: Caller,
    status: Annotated[str | None, Query(max_length=30)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Return approvals, oldest first."""
    rows = await node.reader.read(
        list_approvals, owner_id=person.owner_id, status=status, limit=limit, after=cursor
    )
    return page([approval_to_wire(row) for row in rows], limit, "approval_id")


@router.get("/{approval_id}")
async def show(approval_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return an approval with its items."""
    return approval_to_wire(await node.decisions.load(approval_id, person))


@router.post("/{approval_id}/decision", openapi_extra=body_schema(Decision))
async def decide(approval_id: str, request: Request, node: Node, person: Caller) -> dict[str, Any]:
    """Approve, reject, send back for revision or reassign. A second answer gets 409 with who was faster."""
    decision = parse(Decision, await json_body(request))
    return approval_to_wire(await node.decisions.decide(approval_id, decision, by=person))


@router.post("/{approval_id}/revoke", openapi_extra=body_schema(Revocation))
async def revoke(approval_id: str, request: Request, node: Node, person: Caller) -> dict[str, Any]:
    """Take an approval back: what has not been sent yet will not be."""
    revocation = parse(Revocation, await json_body(request))
    await node.cancelling.revoke(approval_id, by=person, reason=revocation.reason)
    return approval_to_wire(await node.decisions.load(approval_id, person))
