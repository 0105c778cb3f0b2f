"""The mock's routes: messages, token counts, models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tercet.domain.codec import from_json, to_json
from tercet.testing.mock_claude.answers import Answer, answer
from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.message import build_message, count_tokens
from tercet.testing.mock_claude.models import MODELS, page_of_models, to_wire
from tercet.testing.mock_claude.prompt_cache import PromptCache
from tercet.testing.mock_claude.script import Script, ScriptPlayer
from tercet.testing.mock_claude.stream import opening_events, sse_events
from tercet.testing.mock_claude.validation import check_request

_LARGEST_BYTES = 32_000_000
_MODELS_A_PAGE = 20
_MOST_MODELS = 1_000
_LIMITS = {"requests": 4_000, "tokens": 4_000_000, "input-tokens": 2_000_000, "output-tokens": 400_000}

Handler = Callable[[Request, str], Awaitable[Response]]


def create_app(script: Script | None = None) -> Starlette:
    """Return the ASGI app. Without a script it answers on its own."""
    mock = _Mock(ScriptPlayer(script or Script()))
    return Starlette(
        routes=[
            Route("/v1/messages", mock.door(mock.messages), methods=["POST"]),
            Route("/v1/messages/count_tokens", mock.door(mock.count_tokens), methods=["POST"]),
            Route("/v1/models", mock.door(mock.models), methods=["GET"]),
            Route("/v1/models/{model_id}", mock.door(mock.model), methods=["GET"]),
        ],
        exception_handlers={HTTPException: mock.refuse},
    )


class _Mock:
    def __init__(self, player: ScriptPlayer) -> None:
        self._cache = PromptCache()
        self._player = player
        self._requests = 0

    def _request_id(self) -> str:
        self._requests += 1
        return f"req_mock{self._requests:020d}"

    def door(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint: the key is checked, errors become envelopes, headers are put on."""

        async def endpoint(request: Request) -> Response:
            request_id = self._request_id()
            try:
                _authenticate(request)
                response = await handler(request, request_id)
            except ApiError as error:
                return error.response(request_id, _limit_headers(used_up=error.status == 429))
            response.headers["request-id"] = request_id
            return response

        return endpoint

    async def refuse(self, _request: Request, error: Exception) -> Response:
        """Answer for a path or method that does not exist."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        message = "Not found" if status == 404 else str(getattr(error, "detail", "Internal server error"))
        return ApiError(status, message).response(self._request_id())

    async def messages(self, request: Request, request_id: str) -> Response:
        body = await _body(request)
        model = check_request(body, version=request.headers.get("anthropic-version", ""))
        tokens = count_tokens(body)
        if tokens > model.context:
            raise ApiError(400, f"prompt is too long: {tokens} tokens > {model.context} maximum")
        reply = answer(body, self._player)
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        if reply.error is not None and not (body.get("stream") and reply.error_in_stream):
            raise reply.error
        cached = self._cache.split(body, tokens)
        message = build_message(body, model, reply, tokens_input=tokens, cached=cached)
        if not body.get("stream"):
            return JSONResponse(message, headers=_limit_headers())
        events = _events(message, reply, request_id)
        return StreamingResponse(_encode(events), media_type="text/event-stream", headers=_limit_headers())

    async def count_tokens(self, request: Request, _request_id: str) -> Response:
        body = await _body(request)
        check_request(body, version=request.headers.get("anthropic-version", ""), counting=True)
        return JSONResponse({"input_tokens": count_tokens(body)})

    async def models(self, request: Request, _request_id: str) -> Response:
        limit = request.query_params.get("limit", str(_MODELS_A_PAGE))
        if not (limit.isascii() and limit.isdigit() and len(limit) < 6 and 1 <= int(limit) <= _MOST_MODELS):
            raise ApiError(400, f"limit: Input should be a valid integer from 1 to {_MOST_MODELS}")
        page = page_of_models(
            limit=int(limit),
            after_id=request.query_params.get("after_id"),
            before_id=request.query_params.get("before_id"),
        )
        return JSONResponse(page)

    async def model(self, request: Request, _request_id: str) -> Response:
        model = MODELS.get(request.path_params["model_id"])
        if model is None:
            raise ApiError(404, f"model: {request.path_params['model_id']}")
        return JSONResponse(to_wire(model))


def _authenticate(request: Request) -> None:
    """Any key will do, in `x-api-key` or as a bearer token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    if not (request.headers.get("x-api-key", "").strip() or bearer):
        raise ApiError(401, "x-api-key header is required")


async def _body(request: Request) -> Any:
    chunks = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > _LARGEST_BYTES:
            raise ApiError(413, "Request exceeds the maximum size")
        chunks.append(chunk)
    try:
        return from_json(b"".join(chunks))
    except ValueError as error:
        raise ApiError(400, f"The request body is not valid JSON: {error}") from error


def _limit_headers(*, used_up: bool = False) -> dict[str, str]:
    reset = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"anthropic-organization-id": "org_mock"}
    for name, limit in _LIMITS.items():
        headers[f"anthropic-ratelimit-{name}-limit"] = str(limit)
        headers[f"anthropic-ratelimit-{name}-remaining"] = "0" if used_up else str(limit - 1)
        headers[f"anthropic-ratelimit-{name}-reset"] = reset
    return headers


def _events(message: dict[str, Any], reply: Answer, request_id: str) -> list[dict[str, Any]]:
    if reply.error is None:
        return sse_events(message)
    return [*opening_events(message), reply.error.envelope(request_id)]


async def _encode(events: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    for event in events:
        yield f"event: {event['type']}\ndata: {to_json(event)}\n\n".encode()
