"""The WebSocket of a conversation: the same events as its server-sent stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from tercet.chat.chats import ChatEvent
from tercet.domain.codec import to_json
from tercet.domain.errors import NotAuthenticated, TercetError
from tercet.web.access import person_of_token
from tercet.wiring import Tercet

router = APIRouter(tags=["chat"])
_REFUSED = 1008
_SUBPROTOCOL = "bearer"


@router.websocket("/conversations/{conversation_id}/ws")
async def socket(websocket: WebSocket, conversation_id: str) -> None:
    """Send `{event, data}` for the messages after `?after=SEQ` and for everything that happens.

    The token comes in the Authorization header, as `?token=`, or as the subprotocol after `bearer`.
    """
    node: Tercet = websocket.app.state.node
    offered = websocket.scope.get("subprotocols", [])
    try:
        person = await person_of_token(node, _token_of(websocket, offered))
        await node.chat.projects.conversation(conversation_id, owner_id=person.owner_id)
        after = int(websocket.query_params.get("after", "0"))
    except (TercetError, ValueError) as error:
        await websocket.close(
            _REFUSED, error.message if isinstance(error, TercetError) else "after: a number"
        )
        return
    await websocket.accept(subprotocol=_SUBPROTOCOL if _SUBPROTOCOL in offered else None)
    events = node.chat.chats.conversation_events(
        conversation_id, owner_id=person.owner_id, after=max(after, 0)
    )
    sending = asyncio.create_task(_send(websocket, events))
    try:
        # What a client sends means nothing here; reading it is how its leaving is noticed.
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass
    finally:
        sending.cancel()
        with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
            await sending


async def _send(websocket: WebSocket, events: AsyncIterator[ChatEvent]) -> None:
    async for kind, data in events:
        await websocket.send_text(to_json({"event": kind, "data": data}))


def _token_of(websocket: WebSocket, offered: list[str]) -> str:
    scheme, _, token = websocket.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    if _SUBPROTOCOL in offered[:-1]:
        return offered[offered.index(_SUBPROTOCOL) + 1]
    token = websocket.query_params.get("token", "")
    if not token:
        raise NotAuthenticated("a bearer token is required")
    return token
