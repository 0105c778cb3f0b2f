"""A conversation as JSON, and as the model layer wants it.

Messages: {role: user, content} · {role: assistant, parts} · {role: tool, results}. Parts: {type: text, text} ·
{type: thinking, …} · {type: tool_call, id, name, arguments}. Results: {call_id, name, content, outcome}.
Thinking goes back as it came, with every field that its provider set.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tercet.domain.codec import from_json, to_json

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

Message = dict[str, Any]
_OPAQUE = ("id", "provider_name", "provider_details")


def to_model_messages(messages: Sequence[Message], instructions: str | None) -> list[ModelMessage]:
    """Return the model layer's messages. Neighbours of the user's side become one request."""
    from pydantic_ai import messages as pai

    out: list[ModelMessage] = []
    pending: list[Any] = []
    for message in messages:
        if message["role"] == "assistant":
            if pending:
                out.append(pai.ModelRequest(parts=pending, instructions=instructions))
                pending = []
            out.append(pai.ModelResponse(parts=[_part(part) for part in message["parts"]]))
        elif message["role"] == "tool":
            pending += [
                pai.ToolReturnPart(
                    tool_name=result["name"], content=result["content"], tool_call_id=result["call_id"],
                    outcome=result.get("outcome", "success"),
                )
                for result in message["results"]
            ]  # fmt: skip
        else:
            pending.append(pai.UserPromptPart(content=message["content"]))
    out.append(pai.ModelRequest(parts=pending, instructions=instructions))
    return out


def _part(part: dict[str, Any]) -> Any:
    from pydantic_ai import messages as pai

    opaque = {name: part[name] for name in _OPAQUE if name in part}
    if part["type"] == "text":
        return pai.TextPart(content=part["text"], **opaque)
    if part["type"] == "thinking":
        return pai.ThinkingPart(content=part["thinking"], signature=part.get("signature"), **opaque)
    return pai.ToolCallPart(
        tool_name=part["name"], args=part["arguments"], tool_call_id=part["id"],
        provider_name=part.get("provider_name"), provider_details=part.get("provider_details"),
    )  # fmt: skip


def parts_of(response: ModelResponse) -> list[dict[str, Any]]:
    """Return a response's parts as JSON. Arguments that are no JSON stay text: the guard refuses them."""
    from pydantic_ai import messages as pai

    parts: list[dict[str, Any]] = []
    for part in response.parts:
        opaque = {name: value for name in _OPAQUE if (value := getattr(part, name, None)) is not None}
        if isinstance(part, pai.TextPart):
            if part.content:
                parts.append({"type": "text", "text": part.content, **opaque})
        elif isinstance(part, pai.ThinkingPart):
            thinking = {"type": "thinking", "thinking": part.content, **opaque}
            parts.append(thinking if part.signature is None else {**thinking, "signature": part.signature})
        elif isinstance(part, pai.ToolCallPart):
            opaque.pop("id", None)
            parts.append(
                {"type": "tool_call", "id": part.tool_call_id, "name": part.tool_name, "arguments": _arguments(part), **opaque}
            )  # fmt: skip
    return parts


def _arguments(part: Any) -> Any:
    try:
        return part.args_as_dict()
    except (ValueError, AssertionError):
        return part.args


def parameters(
    tools: Sequence[dict[str, Any]], output_schema: dict[str, Any] | None
) -> ModelRequestParameters:
    """Return what the model may do: which tools it has, and which form its answer takes."""
    return _parameters(to_json(tools), None if output_schema is None else to_json(output_schema))


@lru_cache(maxsize=256)
def _parameters(tools: str, output_schema: str | None) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    definitions = [
        ToolDefinition(
            name=tool["name"], description=tool["description"], parameters_json_schema=tool["input_schema"],
            strict=False,
        )
        for tool in from_json(tools)
    ]  # fmt: skip
    if output_schema is None:
        return ModelRequestParameters(function_tools=definitions)
    return ModelRequestParameters(
        function_tools=definitions,
        output_mode="native",
        output_object=OutputObjectDefinition(json_schema=_closed(from_json(output_schema)), name="answer"),
        allow_text_output=False,
    )


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Providers want closed objects; the answer is checked against the schema as it was given."""
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        return {**schema, "additionalProperties": False}
    return schema
