"""The mock's routes: chat completions, whole or streamed, and the list of models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tercet.domain.codec import from_json, to_json
from tercet.testing.mock_claude.answers import answer
from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.message import build_message, count_tokens
from tercet.testing.mock_claude.models import MockModel
from tercet.testing.mock_claude.script import Script, ScriptPlayer
from tercet.testing.mock_openai.translation import to_completion, to_messages_request

MODELS = (
    "gpt-6-astra",
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-luna",
    "gpt-5-mini",
    "gpt-4.1-mini",
    "default",
)
_CONTEXT_TOKENS = 1_050_000
_CHUNK = 24
_TYPES = {
    401: "invalid_request_error",
    429: "requests",
    400: "invalid_request_error",
    404: "invalid_request_error",
}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def create_app(script: Script | None = None) -> Starlette:
    """Return the mock. A script of the mock Claude steers it too."""
    player = ScriptPlayer(script or Script())

    async def completions(request: Request) -> Response:
        try:
            return await _complete(request, player)
        except ApiError as error:
            return _refuse(error)

    async def models(request: Request) -> Response:
        data = [
            {"id": name, "object": "model", "created": 1_767_225_600, "owned_by": "mock"} for name in MODELS
        ]
        return JSONResponse({"object": "list", "data": data})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", completions, methods=["POST"]),
            Route("/v1/models", models, methods=["GET"]),
        ]
    )


async def _complete(request: Request, player: ScriptPlayer) -> Response:
    if not request.headers.get("authorization", "").removeprefix("Bearer ").strip():
        raise ApiError(401, "You didn't provide an API key.")
    try:
        body = from_json(await request.body())
        asked = to_messages_request(body)
    except (ValueError, KeyError, TypeError) as error:
        raise ApiError(400, "We could not parse the JSON body of your request.") from error
    if asked["model"] not in MODELS:
        raise ApiError(404, f"The model `{asked['model']}` does not exist or you do not have access to it.")
    tokens = count_tokens(asked)
    if tokens > _CONTEXT_TOKENS:
        raise ApiError(
            400,
            f"This model's maximum context length is {_CONTEXT_TOKENS} tokens. "
            f"However, your messages resulted in {tokens} tokens.",
            code="context_length_exceeded",
        )  # fmt: skip
    reply = answer(asked, player)
    if reply.delay_seconds:
        await asyncio.sleep(reply.delay_seconds)
    if reply.error is not None:
        raise reply.error
    model = MockModel(id=asked["model"])
    message = build_message(asked, model, reply, tokens_input=tokens)
    completion = to_completion(asked, message, created_at=int(time.time()))
    if body.get("stream"):
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return StreamingResponse(_chunks(completion, with_usage), media_type="text/event-stream")
    return JSONResponse(completion)


async def _chunks(completion: dict[str, Any], with_usage: bool) -> AsyncIterator[str]:
    base = {key: completion[key] for key in ("id", "created", "model", "service_tier", "system_fingerprint")}
    base["object"] = "chat.completion.chunk"
    [choice] = completion["choices"]

    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]
        return f"data: {to_json({**base, 'choices': choices})}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    text = choice["message"]["content"] or ""
    for start in range(0, len(text), _CHUNK):
        yield chunk({"content": text[start : start + _CHUNK]})
    for index, call in enumerate(choice["message"].get("tool_calls", [])):
        head = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield chunk({"tool_calls": [{"index": index, **head}]})
        yield chunk(
            {"tool_calls": [{"index": index, "function": {"arguments": call["function"]["arguments"]}}]}
        )
    yield chunk({}, choice["finish_reason"])
    if with_usage:
        yield f"data: {to_json({**base, 'choices': [], 'usage': completion['usage']})}\n\n"
    yield "data: [DONE]\n\n"


def _refuse(error: ApiError) -> JSONResponse:
    body = {
        "message": error.message, "type": _TYPES.get(error.status, "server_error"), "param": None,
        "code": error.code or _CODES.get(error.status),
    }  # fmt: skip
    headers = {} if error.retry_after_seconds is None else {"retry-after": f"{error.retry_after_seconds:g}"}
    return JSONResponse({"error": body}, status_code=error.status, headers=headers)
