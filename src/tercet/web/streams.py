"""Streams: one execution or all of an owner's, over WebSocket or server-sent events (spec 5 §4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse

from tercet.domain.errors import NotFound, TercetError
from tercet.humans.person import Person
from tercet.humans.stream_tokens import LIFETIME_SECONDS
from tercet.store.listing import get_execution
from tercet.store.reader import Record
from tercet.web.access import Caller, Node, person_of, person_of_token
from tercet.web.stream_messages import PING, Message, messages_of_execution, messages_of_owner, seq_of
from tercet.wiring import Tercet

router = APIRouter(tags=["streams"])
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_REFUSED = 4_401
_NOT_FOUND = 4_404
_INVALID = 4_422
_GOING_AWAY = 1_001
LastEventId = Annotated[str | None, Query(max_length=200)]


@router.post("/stream-token")
async def stream_token(node: Node, person: Caller) -> dict[str, Any]:
    """Return a token that opens streams for an hour; it goes into their address as `?token=`."""
    return {"token": node.stream_tokens.create(person), "expires_in_seconds": LIFETIME_SECONDS}


@router.get("/executions/{execution_id}/stream")
async def stream_execution(
    execution_id: str,
    request: Request,
    node: Node,
    token: Annotated[str | None, Query(max_length=4_000)] = None,
    last_event_id: LastEventId = None,
    last_event_id_header: Annotated[str | None, Header(alias="Last-Event-ID", max_length=200)] = None,
) -> StreamingResponse:
    """Stream an execution as server-sent events; after a lost connection it goes on after `Last-Event-ID`."""
    person = await person_of_token(node, token) if token is not None else await person_of(request)
    execution = await _own(node, person, execution_id)
    last = last_event_id_header or last_event_id
    after_seq = seq_of(execution_id, last) if last is not None else None
    messages = messages_of_execution(node, execution, after_seq=after_seq)
    return StreamingResponse(_as_sse(messages), media_type="text/event-stream", headers=_HEADERS)


@router.get("/stream")
async def stream_all(
    request: Request, node: Node, token: Annotated[str | None, Query(max_length=4_000)] = None
) -> StreamingResponse:
    """Stream all of the owner's executions as server-sent events."""
    person = await person_of_token(node, token) if token is not None else await person_of(request)
    messages = messages_of_owner(node, person.owner_id)
    return StreamingResponse(_as_sse(messages), media_type="text/event-stream", headers=_HEADERS)


@router.websocket("/executions/{execution_id}/stream")
async def watch_execution(
    socket: WebSocket, execution_id: str, token: str = "", last_event_id: LastEventId = None
) -> None:
    """Stream an execution over a WebSocket."""
    node: Tercet = socket.app.state.node
    await socket.accept()
    try:
        execution = await _own(node, await person_of_token(node, token or _bearer(socket)), execution_id)
        after_seq = seq_of(execution_id, last_event_id) if last_event_id is not None else None
    except TercetError as error:
        await socket.close(_close_code(error), error.message[:100])
        return
    await _send_all(socket, messages_of_execution(node, execution, after_seq=after_seq))


@router.websocket("/stream")
async def watch_all(socket: WebSocket, token: str = "") -> None:
    """Stream all of the owner's executions over a WebSocket."""
    node: Tercet = socket.app.state.node
    await socket.accept()
    try:
        person = await person_of_token(node, token or _bearer(socket))
    except TercetError as error:
        await socket.close(_close_code(error), error.message[:100])
        return
    await _send_all(socket, messages_of_owner(node, person.owner_id))


async def _send_all(socket: WebSocket, messages: AsyncIterator[Message]) -> None:
    """Send until the reader goes or the node stops. What the reader says is not listened to."""
    sender = asyncio.ensure_future(_send(socket, messages))
    listener = asyncio.ensure_future(_until_gone(socket))
    try:
        await asyncio.wait({sender, listener}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sender, listener):
            task.cancel()
        await asyncio.gather(sender, listener, return_exceptions=True)
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close(_GOING_AWAY)


async def _send(socket: WebSocket, messages: AsyncIterator[Message]) -> None:
    async with aclosing(messages) as open_messages:  # type: ignore[type-var]
        async for message in open_messages:
            if message is not PING:
                await socket.send_text(message.text)


async def _until_gone(socket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive_text()


async def _as_sse(messages: AsyncIterator[Message]) -> AsyncIterator[str]:
    async with aclosing(messages) as open_messages:  # type: ignore[type-var]
        async for message in open_messages:
            if message is PING:
                yield ": still here\n\n"
                continue
            name = f"id: {message.event_id}\n" if message.event_id else ""
            yield f"{name}event: {message.kind}\ndata: {message.text}\n\n"


def _bearer(socket: WebSocket) -> str:
    scheme, _, token = socket.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def _own(node: Tercet, person: Person, execution_id: str) -> Record:
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=execution_id)
    if row is None:
        raise NotFound(f"there is no execution {execution_id!r}")
    return row


def _close_code(error: TercetError) -> int:
    return {401: _REFUSED, 404: _NOT_FOUND}.get(error.http_status, _INVALID)
