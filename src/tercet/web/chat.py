"""Routes of chats: posting, following, templates (spec 1)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tercet.chat.chats import ChatEvent, Post, Posted
from tercet.chat.documents import ReadDocument, Source
from tercet.chat.messages import LONGEST_MESSAGE, message_to_wire
from tercet.domain.codec import to_json
from tercet.domain.errors import InvalidInput
from tercet.humans.person import Person
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse

router = APIRouter(tags=["chat"])
_MOST_ATTACHMENTS = 10
_LONGEST_WAIT_SECONDS = 120
_SSE_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Attachment(BaseModel):
    """A document of the project by its id, or a new one with its content."""

    model_config = ConfigDict(extra="forbid")

    document_id: str | None = Field(default=None, max_length=64)
    filename: str | None = Field(default=None, min_length=1, max_length=500)
    mime_type: str | None = Field(default=None, max_length=200)
    content_base64: str | None = None
    text: str | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Attachment:
        given = [self.document_id, self.content_base64, self.text]
        if sum(value is not None for value in given) != 1:
            raise ValueError("give one of document_id, content_base64 and text")
        if self.document_id is None and self.filename is None:
            raise ValueError("a new document needs a filename")
        return self

    def content(self) -> bytes:
        """Return the bytes of a new document. Raises InvalidInput."""
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        try:
            return base64.b64decode(self.content_base64 or "", validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput("attachments: `content_base64` is not base64") from error


class ChatIn(BaseModel):
    """A message. Without `conversation_id` it begins a conversation."""

    model_config = ConfigDict(extra="forbid")

    project_id: str = Field(min_length=1, max_length=64)
    conversation_id: str | None = Field(default=None, max_length=64)
    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE)
    attachments: list[Attachment] = Field(default_factory=list, max_length=_MOST_ATTACHMENTS)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    """The same as the header `Idempotency-Key`."""


@router.post("/chat", status_code=202, openapi_extra=body_schema(ChatIn), response_model=None)
async def chat(
    request: Request,
    node: Node,
    person: Writer,
    wait: Annotated[float | None, Query(ge=0, le=_LONGEST_WAIT_SECONDS)] = None,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Response:
    """Persist a message and work on it: 202 with ids; with `wait` seconds the answer (200) when it comes in time.

    `Accept: text/event-stream` answers with everything that happens until the assistant's message is there.
    """
    wanted = parse(ChatIn, await json_body(request))
    post = Post(
        project_id=wanted.project_id,
        conversation_id=wanted.conversation_id,
        message=wanted.message,
        attachments=tuple(item.document_id for item in wanted.attachments if item.document_id is not None),
        documents=await _read_documents(node, person, wanted),
        idempotency_key=idempotency_key or wanted.idempotency_key,
    )
    if "text/event-stream" in request.headers.get("accept", ""):
        events = node.chat.chats.turn_events(post, owner_id=person.owner_id, user=person.user)
        # A refusal is an ordinary error answer: the stream begins once the message is on disk.
        return _streaming(events, await anext(events))
    posted = await node.chat.chats.post(post, owner_id=person.owner_id, user=person.user)
    if wait is None:
        return JSONResponse(posted.to_wire(), status_code=202)
    return await _waited(node, posted, wait)


@router.get("/conversations/{conversation_id}/stream", response_model=None)
async def stream(
    conversation_id: str,
    node: Node,
    person: Caller,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[int | None, Header(ge=0)] = None,
) -> Response:
    """Return the messages after a number and then everything that happens, as server-sent events."""
    await node.chat.projects.conversation(conversation_id, owner_id=person.owner_id)
    events = node.chat.chats.conversation_events(
        conversation_id, owner_id=person.owner_id, after=after if last_event_id is None else last_event_id
    )
    return _streaming(events, None)


@router.get("/templates")
async def templates(node: Node, person: Caller) -> dict[str, Any]:
    """Return the templates that chats can fill in, with their variables."""
    items = [
        {
            "name": template.name, "title": template.title, "description": template.description,
            "format": template.format,
            "variables": [
                {
                    "name": name, "description": variable.description, "type": variable.type,
                    "required": variable.required, "default": variable.default, "example": variable.example,
                    "choices": list(variable.choices),
                }
                for name, variable in template.variables.items()
            ],
        }
        for template in node.chat.services.library.all
    ]  # fmt: skip
    return {"items": items, "next_cursor": None}


async def _read_documents(node: Node, person: Person, wanted: ChatIn) -> tuple[ReadDocument, ...]:
    """Read the documents that come with the message, each content once; they are stored with the message."""
    sources = [
        Source(filename=item.filename or "", content=item.content(), mime_type=item.mime_type)
        for item in wanted.attachments
        if item.document_id is None
    ]
    found = [
        await node.chat.documents.read(wanted.project_id, source, owner_id=person.owner_id, user=person.user)
        for source in {source.digest: source for source in sources}.values()
    ]
    return tuple(found)


async def _waited(node: Node, posted: Posted, seconds: float) -> Response:
    status, answer = await node.chat.chats.wait(posted, seconds=seconds)
    body = {**posted.to_wire(), "status": status, "answer": message_to_wire(answer) if answer else None}
    if answer is None:
        body["approvals"] = await node.chat.chats.open_approvals(posted.execution_id)
    return JSONResponse(body, status_code=202 if answer is None else 200)


def _streaming(events: AsyncIterator[ChatEvent], first: ChatEvent | None) -> StreamingResponse:
    async def lines() -> AsyncIterator[str]:
        if first is not None:
            yield _sse(*first)
        async for kind, data in events:
            yield _sse(kind, data)

    return StreamingResponse(lines(), media_type="text/event-stream", headers=_SSE_HEADERS)


def _sse(kind: str, data: dict[str, Any]) -> str:
    if kind == "keep-alive":
        return ": keep-alive\n\n"
    number = f"id: {data['seq']}\n" if kind == "message.persisted" else ""
    return f"{number}event: {kind}\ndata: {to_json(data)}\n\n"
