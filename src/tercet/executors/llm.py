"""`llm`: one model call through pydantic-ai's model layer; text, or an answer bound to a JSON Schema.

Task fields beside the contract's: `system`, `output_schema`, `model`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import orjson

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult, Usage
from tercet.domain.models import ModelRef, parse_model
from tercet.domain.prices import estimate_tokens, estimate_usd, price_usd
from tercet.domain.schema_check import schema_violation
from tercet.executors.llm_errors import to_failure
from tercet.executors.llm_models import LlmConfig, ModelClients, NoCredentials
from tercet.executors.prompts import user_prompt

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

DEFAULT_MAX_TOKENS = 4_096


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

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Do the call; see the contract."""
        try:
            ref = self._choose_model(request)
        except ValueError as error:
            return ExecutorResult.failure(ErrorCode.MODEL_NOT_ALLOWED, str(error))
        prompt = user_prompt(request)
        if not prompt:
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, "The task has neither prompt nor input_variables"
            )
        refusal = self._over_budget(request, ref, prompt)
        if refusal is not None:
            return refusal
        try:
            response = await self._call(request, ref, prompt)
        except (NoCredentials, ValueError) as error:
            return to_failure(
                error if isinstance(error, NoCredentials) else NoCredentials(str(error)), str(ref)
            )
        except Exception as error:
            return to_failure(error, str(ref))
        return self._to_result(request, ref, response)

    def _choose_model(self, request: ExecutorRequest) -> ModelRef:
        allowed = [parse_model(name) for name in request.constraints.allowed_models]
        wanted = request.task.field("model")
        if wanted is not None:
            ref = parse_model(str(wanted))
            if allowed and ref not in allowed:
                raise ValueError(f"{ref} is not among the allowed models: {', '.join(map(str, allowed))}")
            return ref
        return allowed[0] if allowed else parse_model(self._config.default_model)

    def _over_budget(self, request: ExecutorRequest, ref: ModelRef, prompt: str) -> ExecutorResult | None:
        limit = request.constraints.max_cost_usd
        if limit is None:
            return None
        text = prompt + str(request.task.field("system", ""))
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

    async def _call(self, request: ExecutorRequest, ref: ModelRef, prompt: str) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.settings import ModelSettings

        settings = ModelSettings(max_tokens=request.constraints.max_tokens or DEFAULT_MAX_TOKENS)
        temperature = request.constraints.temperature
        if temperature is not None and ref.provider != "anthropic":
            settings["temperature"] = temperature
        return await model_request(
            await self._clients.get(ref),
            _messages(request, prompt),
            model_settings=settings,
            model_request_parameters=_parameters(request.task.field("output_schema")),
            instrument=False,
        )

    def _to_result(self, request: ExecutorRequest, ref: ModelRef, response: ModelResponse) -> ExecutorResult:
        usage = self._usage(request, ref, response)
        text = response.text or ""
        fields: dict[str, Any] = {"usage": usage, "model_used": str(ref)}
        if response.finish_reason == "content_filter":
            return ExecutorResult.failure(ErrorCode.MODEL_REFUSED, f"{ref} refused to answer", **fields)
        truncated = response.finish_reason == "length"
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


def _messages(request: ExecutorRequest, prompt: str) -> list[ModelMessage]:
    from pydantic_ai import messages as pai

    system = request.task.field("system")
    messages: list[ModelMessage] = []
    for line in request.execution_context.conversation_snippet:
        if line.role == "assistant":
            messages.append(pai.ModelResponse(parts=[pai.TextPart(content=line.content)]))
        else:
            messages.append(pai.ModelRequest(parts=[pai.UserPromptPart(content=line.content)]))
    messages.append(pai.ModelRequest(parts=[pai.UserPromptPart(content=prompt)], instructions=system))
    return messages


def _parameters(output_schema: dict[str, Any] | None) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if output_schema is None:
        return ModelRequestParameters()
    return ModelRequestParameters(
        output_mode="native",
        output_object=OutputObjectDefinition(json_schema=_strict(output_schema), name="answer"),
        allow_text_output=False,
    )


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Providers want closed objects; the answer is checked against the schema as it was given."""
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        return {**schema, "additionalProperties": False}
    return schema
