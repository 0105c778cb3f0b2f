"""Routes of events and incoming webhooks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from tercet.domain.clock import to_iso
from tercet.domain.codec import digest, from_json
from tercet.domain.errors import InvalidInput, NotAuthenticated, NotFound
from tercet.domain.webhooks import verify_incoming
from tercet.engine.intake import Receipt
from tercet.flows.catalog import Deployed
from tercet.humans.person import Person
from tercet.manifest.schema import Function, Webhook
from tercet.web.access import Node, Writer, body_schema, json_body, parse, writer_of

router = APIRouter(tags=["events"])
_MOST_EVENTS = 1_000
_KEPT_HEADERS = frozenset({"content-type", "user-agent", "webhook-id", "webhook-timestamp"})


class EventIn(BaseModel):
    """An event from outside."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    data: dict[str, Any] = Field(default_factory=dict)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    manifest: str | None = None
    """Which manifest is meant when several handle the event."""
    execution_id: str | None = None
    """An execution that the event belongs to."""


def _to_wire(receipt: Receipt) -> dict[str, Any]:
    return {
        "event_id": receipt.event_id,
        "execution_id": receipt.execution_id,
        "recorded_at": to_iso(receipt.recorded_at_ms),
        "duplicate": receipt.duplicate,
    }


@router.post("/events", status_code=201, openapi_extra=body_schema(EventIn, or_list=True))
async def send(request: Request, node: Node, person: Writer) -> Any:
    """Record one event or a list; answers a receipt or a list. A list is checked whole before any of it is stored."""
    body = await json_body(request)
    if not isinstance(body, list):
        return _to_wire(await _send(node, person, parse(EventIn, body)))
    if not 1 <= len(body) <= _MOST_EVENTS:
        raise InvalidInput(
            f"a list has 1 to {_MOST_EVENTS} events, not {len(body)}", hint="send several lists"
        )
    events = [parse(EventIn, item, prefix=f"{index}.") for index, item in enumerate(body)]
    for index, event in enumerate(events):
        await _check(node, person, event, index)
    return [_to_wire(await _send(node, person, event)) for event in events]


async def _check(node: Node, person: Person, event: EventIn, index: int) -> None:
    try:
        await node.events.check(
            owner_id=person.owner_id, name=event.name, data=event.data, manifest=event.manifest,
            execution_id=event.execution_id,
        )  # fmt: skip
    except InvalidInput as error:
        detail = [{**item, "field": f"{index}.{item.get('field', '')}"} for item in error.detail]
        raise InvalidInput(f"event {index}: {error.message}", hint=error.hint, detail=detail) from error


async def _send(node: Node, person: Person, event: EventIn) -> Receipt:
    return await node.events.send(
        owner_id=person.owner_id,
        name=event.name,
        data=event.data,
        source=person.user,
        idempotency_key=event.idempotency_key,
        manifest=event.manifest,
        execution_id=event.execution_id,
    )


@router.post("/hooks/{manifest}/{path:path}", status_code=201)
async def hook(manifest: str, path: str, request: Request, node: Node) -> dict[str, Any]:
    """Take an incoming request for a webhook function.

    With `secret_env` the request is verified by Standard Webhooks (±5 minutes) and needs no token; its
    `webhook-id` makes a repeated delivery a duplicate. Without it a bearer token is required.
    """
    deployed, function, trigger = _find_hook(node, manifest, path)
    raw = await request.body()
    key, source = None, "webhook"
    if trigger.secret_env is not None:
        _verify(node, trigger.secret_env, raw, request.headers)
        key = f"hook:{manifest}:{path}:{request.headers['webhook-id']}"[:200]
    else:
        person = await writer_of(request)
        if person.owner_id != deployed.owner_id:
            raise NotFound(f"there is no webhook {path!r} in {manifest!r}")
        source = person.user
    try:
        body = from_json(raw) if raw else {}
    except ValueError:
        body = {"text": raw.decode("utf-8", "replace")}
    data = {
        "path": path,
        "query": dict(request.query_params),
        "headers": {name: value for name, value in request.headers.items() if name in _KEPT_HEADERS},
        "body": body,
        "body_digest": digest(body),
    }
    receipt = await node.intake.start_execution(
        deployed.definition, manifest_id=deployed.manifest_id, owner_id=deployed.owner_id,
        name=deployed.definition.hook_event(function.name), data=data, source=source, idempotency_key=key,
    )  # fmt: skip
    return _to_wire(receipt)


def _find_hook(node: Node, manifest: str, path: str) -> tuple[Deployed, Function, Webhook]:
    for deployed in node.catalog.everywhere(manifest):
        for block in deployed.definition.blocks.values():
            if (
                isinstance(block, Function)
                and isinstance(block.trigger, Webhook)
                and block.trigger.webhook == path
            ):
                return deployed, block, block.trigger
    raise NotFound(f"there is no webhook {path!r} in {manifest!r}")


def _verify(node: Node, secret_env: str, raw: bytes, headers: Mapping[str, str]) -> None:
    secret = os.environ.get(secret_env)
    if not secret:
        raise NotAuthenticated(
            "the webhook's secret is not configured", hint=f"set {secret_env} on the server"
        )
    verify_incoming(headers, raw, secret, node.engine.clock.now_ms() / 1000)
