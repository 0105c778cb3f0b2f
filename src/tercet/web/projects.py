"""Routes of projects, their conversations and their documents. What belongs to somebody else is not there."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile

from tercet.chat.documents import Source, document_to_wire
from tercet.chat.messages import message_to_wire
from tercet.chat.projects import conversation_to_wire, project_to_wire
from tercet.domain.errors import InvalidInput
from tercet.web.access import Caller, Cursor, Limit, Node, Writer, body_schema, json_body, page, parse

router = APIRouter(tags=["projects"])
_LONGEST_INSTRUCTIONS = 20_000


class ProjectIn(BaseModel):
    """A project to make."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: str = Field(min_length=1, max_length=200)
    instructions: str = Field(default="", max_length=_LONGEST_INSTRUCTIONS)
    """What its chats keep in mind."""


class ProjectChange(BaseModel):
    """What to change."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: str | None = Field(default=None, min_length=1, max_length=200)
    instructions: str | None = Field(default=None, max_length=_LONGEST_INSTRUCTIONS)


class ConversationIn(BaseModel):
    """A conversation's title."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    title: str = Field(min_length=1, max_length=200)


@router.post("/projects", status_code=201, openapi_extra=body_schema(ProjectIn))
async def create(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Make a project."""
    wanted = parse(ProjectIn, await json_body(request))
    row = await node.chat.projects.create(
        owner_id=person.owner_id, name=wanted.name, instructions=wanted.instructions
    )
    return project_to_wire(row)


@router.get("/projects")
async def list_all(node: Node, person: Caller, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
    """Return projects, newest first."""
    rows = await node.chat.projects.all(owner_id=person.owner_id, limit=limit, before=cursor)
    return page([project_to_wire(row) for row in rows], limit, "project_id")


@router.get("/projects/{project_id}")
async def show(project_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return a project."""
    return project_to_wire(await node.chat.projects.get(project_id, owner_id=person.owner_id))


@router.patch("/projects/{project_id}", openapi_extra=body_schema(ProjectChange))
async def change(project_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Change a project's name or instructions."""
    wanted = parse(ProjectChange, await json_body(request))
    row = await node.chat.projects.change(
        project_id, owner_id=person.owner_id, name=wanted.name, instructions=wanted.instructions
    )
    return project_to_wire(row)


@router.delete("/projects/{project_id}", status_code=204)
async def delete(project_id: str, node: Node, person: Writer) -> Response:
    """Delete a project with its conversations and documents. Executions and costs stay."""
    await node.chat.projects.delete(project_id, owner_id=person.owner_id)
    return Response(status_code=204)


@router.get("/projects/{project_id}/conversations")
async def conversations(
    project_id: str, node: Node, person: Caller, limit: Limit = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """Return a project's conversations, newest first."""
    rows = await node.chat.projects.conversations(
        project_id, owner_id=person.owner_id, limit=limit, before=cursor
    )
    return page([conversation_to_wire(row) for row in rows], limit, "conversation_id")


@router.post(
    "/projects/{project_id}/conversations", status_code=201, openapi_extra=body_schema(ConversationIn)
)
async def start_conversation(project_id: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Begin an empty conversation; a message without one begins its own."""
    wanted = parse(ConversationIn, await json_body(request))
    row = await node.chat.projects.start_conversation(
        project_id, owner_id=person.owner_id, title=wanted.title
    )
    return conversation_to_wire(row)


@router.get("/conversations/{conversation_id}")
async def show_conversation(conversation_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return a conversation."""
    return conversation_to_wire(
        await node.chat.projects.conversation(conversation_id, owner_id=person.owner_id)
    )


@router.patch("/conversations/{conversation_id}", openapi_extra=body_schema(ConversationIn))
async def rename_conversation(
    conversation_id: str, request: Request, node: Node, person: Writer
) -> dict[str, Any]:
    """Give a conversation another title."""
    wanted = parse(ConversationIn, await json_body(request))
    row = await node.chat.projects.rename_conversation(
        conversation_id, owner_id=person.owner_id, title=wanted.title
    )
    return conversation_to_wire(row)


@router.delete("/conversations/{conversation_id}", status_code=204)
async def delete_conversation(conversation_id: str, node: Node, person: Writer) -> Response:
    """Delete a conversation with its messages."""
    await node.chat.projects.delete_conversation(conversation_id, owner_id=person.owner_id)
    return Response(status_code=204)


@router.get("/conversations/{conversation_id}/messages")
async def messages(
    conversation_id: str,
    node: Node,
    person: Caller,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Limit = 100,
) -> dict[str, Any]:
    """Return messages after a number, oldest first."""
    rows = await node.chat.projects.messages(
        conversation_id, owner_id=person.owner_id, after=after, limit=limit
    )
    return page([message_to_wire(row) for row in rows], limit, "seq")


@router.post("/projects/{project_id}/documents", status_code=201, response_model=None)
async def upload(project_id: str, request: Request, node: Node, person: Writer) -> Response:
    """Take a document (multipart, the field `file`; `title` if wanted), read it and index it.

    201 for a new one, 200 when the project has this very content already.
    """
    await node.chat.projects.get(project_id, owner_id=person.owner_id)
    if "multipart/form-data" not in request.headers.get("content-type", ""):
        raise InvalidInput("the body must be multipart/form-data", hint="curl -F file=@contract.pdf")
    async with request.form(max_files=1, max_fields=4) as form:
        file, title = form.get("file"), form.get("title")
        if not isinstance(file, UploadFile):
            raise InvalidInput(
                "the field `file` is missing", detail=[{"field": "file", "rule": "is required"}]
            )
        content = await file.read()
        source = Source(
            filename=file.filename or "", content=content, mime_type=file.content_type,
            title=title if isinstance(title, str) else None,
        )  # fmt: skip
        row, is_new = await node.chat.documents.add(
            project_id, source, owner_id=person.owner_id, user=person.user
        )
    return JSONResponse(document_to_wire(row), status_code=201 if is_new else 200)


@router.get("/projects/{project_id}/documents")
async def documents(
    project_id: str, node: Node, person: Caller, limit: Limit = 50, cursor: Cursor = None
) -> dict[str, Any]:
    """Return a project's documents, newest first."""
    rows = await node.chat.documents.all(project_id, owner_id=person.owner_id, limit=limit, before=cursor)
    return page([document_to_wire(row) for row in rows], limit, "document_id")


@router.get("/projects/{project_id}/search")
async def search(
    project_id: str,
    node: Node,
    person: Caller,
    q: Annotated[str, Query(min_length=1, max_length=1_000)],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> dict[str, Any]:
    """Return passages of the project's documents that fit, best first; matches are in [brackets]."""
    items = await node.chat.documents.search(project_id, q, owner_id=person.owner_id, limit=limit)
    return {"items": items, "next_cursor": None}


@router.get("/documents/{document_id}")
async def show_document(document_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return a document with its passages."""
    row = await node.chat.documents.get(document_id, owner_id=person.owner_id)
    passages = await node.chat.documents.content(document_id)
    items = [{"passage": part["number"], "place": part["place"], "text": part["text"]} for part in passages]
    return {**document_to_wire(row), "content": items}


@router.delete("/documents/{document_id}", status_code=204)
async def delete_document(document_id: str, node: Node, person: Writer) -> Response:
    """Delete a document and what search knows of it."""
    await node.chat.documents.delete(document_id, owner_id=person.owner_id)
    return Response(status_code=204)
