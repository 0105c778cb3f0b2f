"""Routes of those who want to hear what happens, and of looks at masked data."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tercet.domain.clock import to_iso
from tercet.domain.errors import NotAllowed
from tercet.humans.subscriptions import Registration, Subscription
from tercet.store.reader import Record
from tercet.web.access import Caller, Cursor, Limit, Node, Writer, body_schema, json_body, page, parse

router = APIRouter(tags=["webhooks"])


@router.post("/webhooks/register", status_code=201, openapi_extra=body_schema(Registration))
async def register(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Register a webhook, an e-mail address or a Slack hook. A webhook's secret is shown once."""
    wanted = parse(Registration, await json_body(request))
    subscription, secret = await node.outbox.subscriptions.register(wanted, by=person)
    return {**_to_wire(subscription), **({} if secret is None else {"secret": secret})}


@router.get("/webhooks")
async def list_all(node: Node, person: Writer) -> dict[str, Any]:
    """Return the owner's receivers, without their secrets."""
    items = [
        node.reveals.masked(_to_wire(subscription))
        for subscription in node.outbox.subscriptions.of(person.owner_id)
    ]
    return {"items": items, "next_cursor": None}


@router.delete("/webhooks/{webhook_id}", status_code=204)
async def delete(webhook_id: str, node: Node, person: Writer) -> None:
    """End one: nothing more is sent there."""
    await node.outbox.subscriptions.delete(node.outbox.subscriptions.get(webhook_id, person.owner_id))


@router.post("/webhooks/{webhook_id}/test")
async def test(webhook_id: str, node: Node, person: Writer) -> dict[str, Any]:
    """Send a test at once; a failure is part of the answer."""
    subscription = node.outbox.subscriptions.get(webhook_id, person.owner_id)
    return _delivery_to_wire(await node.outbox.test(subscription))


@router.get("/webhooks/{webhook_id}/deliveries")
async def deliveries(
    webhook_id: str, node: Node, person: Writer, limit: Limit = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """Return what was sent there, or will be, newest first."""
    subscription = node.outbox.subscriptions.get(webhook_id, person.owner_id)
    rows = await node.outbox.subscriptions.deliveries(subscription, limit=limit, before=cursor)
    return page([_delivery_to_wire(row) for row in rows], limit, "delivery_id")


@router.get("/reveals")
async def reveals(node: Node, person: Caller, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """Return who looked at personal data unmasked, newest first."""
    if person.role not in ("owner", "admin"):
        raise NotAllowed(f"a {person.role} may not see who looked")
    rows = await node.reveals.list(person.owner_id, limit=limit, before=cursor)
    items = [
        {
            "reveal_id": row["id"],
            "user": row["user"],
            "role": row["role"],
            "execution_id": row["execution_id"],
            "what": row["what"],
            "at": to_iso(row["at_ms"]),
        }
        for row in rows
    ]
    return page(items, limit, "reveal_id")


def _to_wire(subscription: Subscription) -> dict[str, Any]:
    return {
        "webhook_id": subscription.id,
        "channel": subscription.channel,
        "target": subscription.target,
        "events": sorted(subscription.events),
        "created_by": subscription.created_by,
        "created_at": to_iso(subscription.created_at_ms),
    }


def _delivery_to_wire(row: Record) -> dict[str, Any]:
    return {
        "delivery_id": row["id"],
        "webhook_id": row["subscription_id"],
        "event": row["event"],
        "execution_id": row["execution_id"],
        "status": row["status"],
        "attempts": row["attempts"],
        "answer_status": row["answer_status"],
        "error": row["error"],
        "created_at": to_iso(row["created_at_ms"]),
        "next_attempt_at": to_iso(row["next_at_ms"]) if row["status"] == "pending" else None,
        "ended_at": to_iso(row["ended_at_ms"]),
    }
