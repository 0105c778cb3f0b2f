"""The mock's routes: messages, token counts, models."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tercet.domain.codec import from_json, to_json
from tercet.testing.mock_claude.answers import Answer, answer, seed_of
from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.models import MODELS, MockModel, to_wire
from tercet.testing.mock_claude.script import Script, ScriptPlayer
from tercet.testing.mock_claude.stream import sse_events
from tercet.testing.mock_claude.validation import check_request

_LARGEST_BYTES = 32_000_000


def create_app(script: Script | None = None) -> Starlette:
    """Return the ASGI app. Without a script it answers on its own."""
    mock = _Mock(ScriptPlayer(script or Script()))
    return Starlette(
        routes=[
            Route("/v1/messages", mock.messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", mock.count_tokens, methods=["POST"]),
            Route("/v1/models", mock.models, methods=["GET"]),
            Route("/v1/models/{model_id}", mock.model, methods=["GET"]),
        ],
        exception_handlers={404: mock.not_found},
    )


class _Mock:
    def __init__(self, player: ScriptPlayer) -> None:
        self._player = player
        self._requests = 0

    def _request_id(self) -> str:
        self._requests += 1
        return f"req_mock{self._requests:020d}"

    async def messages(self, request: Request) -> Response:
        request_id = self._request_id()
        try:
            body = await _body(request)
            model = check_request(body, version=request.headers.get("anthropic-version", ""))
            tokens = count_tokens(body)
            if tokens > model.context:
                raise ApiError(400, f"prompt is too long: {tokens} tokens > {model.context} maximum")
            reply = answer(body, self._player)
        except ApiError as error:
            return error.response(request_id)
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        message = _message(body, model, reply, tokens)
        headers = {"request-id": request_id, **_limit_headers()}
        if body.get("stream"):
            return StreamingResponse(
                _encode(sse_events(message)), media_type="text/event-stream", headers=headers
            )
        return JSONResponse(message, headers=headers)

    async def count_tokens(self, request: Request) -> Response:
        request_id = self._request_id()
        try:
            body = await _body(request)
            check_request(body, version=request.headers.get("anthropic-version", ""), counting=True)
        except ApiError as error:
            return error.response(request_id)
        return JSONResponse({"input_tokens": count_tokens(body)}, headers={"request-id": request_id})

    async def models(self, request: Request) -> Response:
        try:
            _authenticate(request)
        except ApiError as error:
            return error.response(self._request_id())
        data = [to_wire(model) for model in MODELS.values()]
        return JSONResponse(
            {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
        )

    async def model(self, request: Request) -> Response:
        try:
            _authenticate(request)
            model = MODELS.get(request.path_params["model_id"])
            if model is None:
                raise ApiError(404, f"model: {request.path_params['model_id']}")
        except ApiError as error:
            return error.response(self._request_id())
        return JSONResponse(to_wire(model))

    async def not_found(self, request: Request, _error: Exception) -> Response:
        return ApiError(404, "Not found").response(self._request_id())


def _authenticate(request: Request) -> None:
    key = (
        request.headers.get("x-api-key")
        or request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    )
    if not key:
        raise ApiError(401, "x-api-key header is required")
    if not request.headers.get("anthropic-version"):
        raise ApiError(400, "anthropic-version: header is required")


async def _body(request: Request) -> Any:
    _authenticate(request)
    raw = await request.body()
    if len(raw) > _LARGEST_BYTES:
        raise ApiError(413, "Request exceeds the maximum size")
    try:
        return from_json(raw)
    except ValueError as error:
        raise ApiError(400, "The request body is not valid JSON: " + str(error)) from error


def count_tokens(body: dict[str, Any]) -> int:
    """Return a plausible count: a token for four characters of everything that the model reads."""
    read = {key: body[key] for key in ("system", "messages", "tools", "output_config") if body.get(key)}
    return len(to_json(read)) // 4 + 3


def _message(body: dict[str, Any], model: MockModel, reply: Answer, tokens_input: int) -> dict[str, Any]:
    content, stop_reason = reply.content, reply.stop_reason
    seed = seed_of(body)
    thinking: list[dict[str, Any]] = []
    if _thinks(body, model):
        signature = hashlib.sha256(f"thinking{seed}".encode()).hexdigest()
        thinking = [
            {"type": "thinking", "thinking": "The request is clear; answering it.", "signature": signature}
        ]
    tokens_output = len(to_json(content)) // 4 + 1
    if tokens_output > body["max_tokens"]:
        tokens_output, stop_reason = body["max_tokens"], "max_tokens"
        content = [{**b, "text": b["text"][: tokens_output * 4]} for b in content if b["type"] == "text"]
    digest = hashlib.sha256(str(seed).encode()).hexdigest()
    return {
        "id": f"msg_01{digest[:22]}",
        "type": "message",
        "role": "assistant",
        "model": model.id,
        "content": thinking + content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "stop_details": None,
        "container": None,
        "diagnostics": None,
        "usage": {
            "input_tokens": tokens_input,
            "output_tokens": tokens_output,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": None,
            "service_tier": "standard",
            "speed": "standard",
            "inference_geo": "global",
        },
    }


def _thinks(body: dict[str, Any], model: MockModel) -> bool:
    kind = (body.get("thinking") or {}).get("type")
    if kind in ("disabled", "between_tools"):
        return False
    return model.always_thinks or kind in ("enabled", "adaptive")


def _limit_headers() -> dict[str, str]:
    reset = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"anthropic-organization-id": "org_mock"}
    for name, limit in (
        ("requests", 4_000),
        ("tokens", 4_000_000),
        ("input-tokens", 2_000_000),
        ("output-tokens", 400_000),
    ):
        headers[f"anthropic-ratelimit-{name}-limit"] = str(limit)
        headers[f"anthropic-ratelimit-{name}-remaining"] = str(limit - 1)
        headers[f"anthropic-ratelimit-{name}-reset"] = reset
    return headers


async def _encode(events: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    for event in events:
        yield f"event: {event['type']}\ndata: {to_json(event)}\n\n".encode()
