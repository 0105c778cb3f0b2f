"""What routes need: the node, the caller, the body, a page's cursor."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ValidationError

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput, NotAllowed, NotAuthenticated
from tercet.humans.person import Person
from tercet.web.errors import field_errors
from tercet.wiring import Tercet

ModelT = TypeVar("ModelT", bound=BaseModel)
_WRITERS = frozenset({"owner", "admin", "member"})


async def node_of(request: Request) -> Tercet:
    """Return the running node. Async, because FastAPI runs plain functions in a thread for every request."""
    node: Tercet = request.app.state.node
    return node


async def person_of(request: Request) -> Person:
    """Return the caller. Raises NotAuthenticated."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated(
            "a bearer token is required", hint="Authorization: Bearer TOKEN; see DATA_DIR/admin-token"
        )
    node: Tercet = request.app.state.node
    return await node.tokens.check(token.strip())


async def person_of_token(node: Tercet, token: str) -> Person:
    """Return who a stream token, or an API token, stands for. Raises NotAuthenticated."""
    if token.count(".") == 2:
        return node.stream_tokens.check(token)
    if not token:
        raise NotAuthenticated("a token is required", hint="?token= with one of POST /stream-token")
    return await node.tokens.check(token)


async def writer_of(request: Request) -> Person:
    """Return the caller when it may change things. Raises NotAllowed for viewers and agents."""
    person = await person_of(request)
    if person.role not in _WRITERS:
        raise NotAllowed(f"a {person.role} may not do this")
    return person


Node = Annotated[Tercet, Depends(node_of)]
Caller = Annotated[Person, Depends(person_of)]
Writer = Annotated[Person, Depends(writer_of)]
Limit = Annotated[int, Query(ge=1, le=500)]
Cursor = Annotated[str | None, Query(max_length=100)]


async def json_body(request: Request) -> Any:
    """Return the parsed body, whatever its content type (spec 5 shows plain `curl -d`). Raises InvalidInput."""
    raw = await request.body()
    if not raw:
        raise InvalidInput(
            "the body is empty", hint="send JSON", detail=[{"field": "body", "rule": "is required"}]
        )
    try:
        return from_json(raw)
    except ValueError as error:
        raise InvalidInput(
            f"the body is not JSON: {error}", detail=[{"field": "body", "rule": "must be JSON"}]
        ) from error


def parse(model: type[ModelT], value: Any, *, prefix: str = "") -> ModelT:
    """Validate a value. Raises InvalidInput naming each field and rule."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        detail = [{**item, "field": f"{prefix}{item['field']}"} for item in field_errors(error)]
        raise InvalidInput(f"{detail[0]['field'] or 'body'}: {detail[0]['rule']}", detail=detail) from error


def page(items: list[dict[str, Any]], limit: int, key: str) -> dict[str, Any]:
    """Return a list answer; the cursor is the last item's id when there may be more."""
    return {"items": items, "next_cursor": items[-1][key] if len(items) == limit else None}


BODY_COMPONENTS: dict[str, Any] = {}
"""The parts that described bodies refer to; the app's description holds them among its components."""


def body_schema(model: type[BaseModel], *, or_list: bool = False) -> dict[str, Any]:
    """Return the OpenAPI part for a body that the route parses itself."""
    schema: dict[str, Any] = model.model_json_schema(ref_template="#/components/schemas/{model}")
    BODY_COMPONENTS.update(schema.pop("$defs", {}))
    if or_list:
        schema = {"oneOf": [schema, {"type": "array", "items": schema}]}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
