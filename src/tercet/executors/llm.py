"""`llm`: one model call through pydantic-ai's model layer; text, or an answer bound to a JSON Schema.

Task fields beside the contract's: `system`, `output_schema`, `model`. With `messages` (and `tools`) it is one
turn of a conversation: the result carries the turn's `parts`, and whoever leads the conversation judges them.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import orjson

from tercet.domain.codec import to_json
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult, Usage
from tercet.domain.models import ModelRef, parse_model
from tercet.domain.prices import estimate_tokens, estimate_usd, price_usd
from tercet.domain.schema_check import schema_violation
from tercet.executors.llm_errors import to_failure
from tercet.executors.llm_models import LlmConfig, ModelClients, NoCredentials
from tercet.executors.prompts import user_prompt
from tercet.executors.turn_messages import Message, parameters, parts_of, to_model_messages

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.settings import ModelSettings

DEFAULT_MAX_TOKENS = 4_096
OnText = Callable[[str], None]
"""Gets the pieces of a text while the model writes it."""


class LlmExecutor:
    """Calls a model once."""

    executor_type = "llm"

    def __init__(self, config: LlmConfig, clients: ModelClients | None = None) -> None:
        self._config = config
        self._clients = clients or ModelClients(config)

    async def warm(self) -> None:
        """Import the client libraries before the first call needs them."""
        await self._clients.warm()

    async def aclose(self) -> None:
        """Close the connections to the providers."""
        await self._clients.aclose()

    async def run(self, request: ExecutorRequest, *, on_text: OnText | None = None) -> ExecutorResult:
        """Do the call; see the contract. With `on_text` the answer is streamed."""
        try:
            ref = self._choose_model(request)
        except ValueError as error:
            return ExecutorResult.failure(ErrorCode.MODEL_NOT_ALLOWED, str(error))
        messages = _messages(request)
        if not messages:
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, "The task has neither prompt nor input_variables"
            )
        refusal = self._over_budget(request, ref, messages)
        if refusal is not None:
            return refusal
        try:
            response = await self._call(request, ref, messages, on_text)
        except (NoCredentials, ValueError) as error:
            return to_failure(
                error if isinstance(error, NoCredentials) else NoCredentials(str(error)), str(ref)
            )
        except Exception as error:
            return to_failure(error, str(ref))
        return self._to_result(request, ref, response)

    async def count_tokens(self, request: ExecutorRequest) -> int | None:
        """Ask the provider how many tokens a request has, or None when it cannot say."""
        try:
            ref = self._choose_model(request)
            model = await self._clients.get(ref)
            usage = await model.count_tokens(
                to_model_messages(_messages(request), request.task.field("system")),
                _settings(request, ref),
                parameters(request.task.field("tools", []), request.task.field("output_schema")),
            )
        except Exception:
            return None
        return usage.input_tokens

    async def context_window(self, request: ExecutorRequest) -> int | None:
        """Return how many tokens the model can read, as far as is known."""
        try:
            return (await self._clients.get(self._choose_model(request))).context_window
        except Exception:
            return None

    def _choose_model(self, request: ExecutorRequest) -> ModelRef:
        allowed = [parse_model(name) for name in request.constraints.allowed_models]
        wanted = request.task.field("model")
        if wanted is not None:
            ref = parse_model(str(wanted))
            if allowed and ref not in allowed:
                raise ValueError(f"{ref} is not among the allowed models: {', '.join(map(str, allowed))}")
            return ref
        return allowed[0] if allowed else parse_model(self._config.default_model)

    def _over_budget(
        self, request: ExecutorRequest, ref: ModelRef, messages: list[Message]
    ) -> ExecutorResult | None:
        limit = request.constraints.max_cost_usd
        if limit is None:
            return None
        text = to_json([messages, request.task.field("system", ""), request.task.field("tools", [])])
        estimate = estimate_usd(
            str(ref),
            tokens_input=estimate_tokens(text),
            max_tokens=request.constraints.max_tokens or DEFAULT_MAX_TOKENS,
            overrides=self._clients.overrides,
        )
        if estimate is None:
            if self._config.allow_unpriced:
                return None
            message = f"No price is known for {ref}, so it cannot run under a cost limit"
        elif estimate > limit:
            message = f"The call of {ref} may cost ${estimate:.4f}, more than the limit of ${limit:.4f}"
        else:
            return None
        return ExecutorResult.failure(ErrorCode.COST_LIMIT_EXCEEDED, message, model_used=str(ref))

    async def _call(
        self, request: ExecutorRequest, ref: ModelRef, messages: list[Message], on_text: OnText | None
    ) -> ModelResponse:
        from pydantic_ai import direct

        model = await self._clients.get(ref)
        history = to_model_messages(messages, request.task.field("system"))
        settings = _settings(request, ref)
        allowed = parameters(request.task.field("tools", []), request.task.field("output_schema"))
        if on_text is None:
            return await direct.model_request(
                model, history, model_settings=settings, model_request_parameters=allowed, instrument=False
            )
        async with direct.model_request_stream(
            model, history, model_settings=settings, model_request_parameters=allowed, instrument=False
        ) as stream:
            async for event in stream:
                text = _new_text(event)
                if text:
                    on_text(text)
            return stream.get()

    def _to_result(self, request: ExecutorRequest, ref: ModelRef, response: ModelResponse) -> ExecutorResult:
        usage = self._usage(request, ref, response)
        text = response.text or ""
        fields: dict[str, Any] = {"usage": usage, "model_used": str(ref)}
        if response.finish_reason == "content_filter":
            return ExecutorResult.failure(ErrorCode.MODEL_REFUSED, f"{ref} refused to answer", **fields)
        truncated = response.finish_reason == "length"
        if request.task.field("messages") is not None:
            turn = {
                "content": text,
                "format": "markdown",
                "parts": parts_of(response),
                "truncated": truncated,
            }
            return ExecutorResult(status="partial" if truncated else "success", result=turn, **fields)
        schema = request.task.field("output_schema")
        if schema is None:
            result = {"content": text, "format": "markdown"}
            return ExecutorResult(status="partial" if truncated else "success", result=result, **fields)
        if truncated:
            return ExecutorResult.failure(
                ErrorCode.OUTPUT_TRUNCATED, "The answer was cut off by max_tokens", **fields
            )
        try:
            data = orjson.loads(text)
        except ValueError:
            return ExecutorResult.failure(ErrorCode.OUTPUT_INVALID, "The answer is not JSON", **fields)
        violation = schema_violation(schema, data)
        if violation is not None:
            return ExecutorResult.failure(
                ErrorCode.OUTPUT_INVALID, f"The answer breaks the output schema: {violation}", **fields
            )
        return ExecutorResult(
            status="success", result={"content": text, "format": "json", "data": data}, **fields
        )

    def _usage(self, request: ExecutorRequest, ref: ModelRef, response: ModelResponse) -> Usage:
        reported = response.usage
        usage = Usage(
            tokens_input=reported.input_tokens,
            tokens_output=reported.output_tokens,
            total_tokens=reported.input_tokens + reported.output_tokens,
            cache_read_tokens=reported.cache_read_tokens,
            cache_write_tokens=reported.cache_write_tokens,
        )
        cost = price_usd(str(ref), usage, self._clients.overrides)
        ignored = (
            ["temperature"]
            if request.constraints.temperature is not None and ref.provider == "anthropic"
            else []
        )
        return usage.model_copy(
            update={
                "estimated_cost": cost or Decimal(0),
                "unpriced": cost is None,
                "ignored_constraints": ignored,
            }
        )


def _messages(request: ExecutorRequest) -> list[Message]:
    given = request.task.field("messages")
    if given is not None:
        return list(given)
    prompt = user_prompt(request)
    if not prompt:
        return []
    lines: list[Message] = [
        {"role": "assistant", "parts": [{"type": "text", "text": line.content}]}
        if line.role == "assistant"
        else {"role": "user", "content": line.content}
        for line in request.execution_context.conversation_snippet
    ]
    return [*lines, {"role": "user", "content": prompt}]


def _settings(request: ExecutorRequest, ref: ModelRef) -> ModelSettings:
    """Claude takes no sampling settings; its prompts are marked for caching where a turn will follow."""
    settings: dict[str, Any] = {"max_tokens": request.constraints.max_tokens or DEFAULT_MAX_TOKENS}
    if ref.provider != "anthropic":
        if request.constraints.temperature is not None:
            settings["temperature"] = request.constraints.temperature
    elif request.task.field("cache_prompt", False):
        settings |= {
            "anthropic_cache": True, "anthropic_cache_instructions": True, "anthropic_cache_tool_definitions": True,
        }  # fmt: skip
    return cast("ModelSettings", settings)


def _new_text(event: Any) -> str:
    """Return the text that a stream's event adds, if it adds text."""
    kind = getattr(event, "event_kind", "")
    if kind == "part_start" and event.part.part_kind == "text":
        return str(event.part.content)
    if kind == "part_delta" and event.delta.part_delta_kind == "text":
        return str(event.delta.content_delta)
    return ""
