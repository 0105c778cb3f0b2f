"""What the API refuses (version 2026-10-21): the same statuses and the same first words of the messages."""

from __future__ import annotations

from typing import Any

from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.models import MODELS, MockModel
from tercet.testing.mock_claude.thinking import signature_of

_KNOWN = frozenset(
    {
        "model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "stop_sequences", "thinking",
        "output_config", "metadata", "service_tier", "speed", "cache_control", "container", "diagnostics",
        "inference_geo", "betas", "mcp_servers", "context_management",
    }
)  # fmt: skip
_SAMPLING = ("temperature", "top_p", "top_k")
_STRICT_VERSION = "2026-10-21"
_BLOCKS = frozenset(
    {
        "text", "image", "document", "search_result", "thinking", "redacted_thinking", "tool_use", "tool_result",
        "server_tool_use",
    }
)  # fmt: skip


def check_request(body: Any, *, version: str, counting: bool = False) -> MockModel:
    """Return the model. Raises ApiError for what the API refuses."""
    if not isinstance(body, dict):
        raise ApiError(400, "request body: Input should be a valid dictionary")
    required = ("model", "messages") if counting else ("model", "max_tokens", "messages")
    for key in required:
        if key not in body:
            raise ApiError(400, f"{key}: Field required")
    for key in body:
        if key in _SAMPLING:
            if version >= _STRICT_VERSION:
                raise ApiError(400, f"{key}: Extra inputs are not permitted")
        elif key not in _KNOWN:
            raise ApiError(400, f"{key}: Extra inputs are not permitted")
    model = MODELS.get(body["model"]) if isinstance(body["model"], str) else None
    if model is None:
        raise ApiError(404, f"model: {body['model']}")
    max_tokens = body.get("max_tokens", 1)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 0:
        raise ApiError(400, "max_tokens: Input should be a valid integer greater than or equal to 0")
    if max_tokens > model.max_output:
        raise ApiError(
            400,
            f"max_tokens: {max_tokens} > {model.max_output}, which is the maximum allowed number of output tokens for {model.id}",
        )
    _check_messages(body["messages"])
    _check_tools(body)
    return model


def _check_tools(body: dict[str, Any]) -> None:
    names: set[str] = set()
    for index, tool in enumerate(body.get("tools") or []):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise ApiError(400, f"tools.{index}.name: Field required")
        if tool["name"] in names:
            raise ApiError(400, "tools: Tool names must be unique.")
        names.add(tool["name"])
        schema = tool.get("input_schema")
        if "type" not in tool and (not isinstance(schema, dict) or schema.get("type") != "object"):
            raise ApiError(400, f"tools.{index}.input_schema.type: Field required")
    output = (body.get("output_config") or {}).get("format")
    if output is not None and (
        output.get("type") != "json_schema" or not isinstance(output.get("schema"), dict)
    ):
        raise ApiError(400, "output_config.format.schema: Field required")


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not messages:
        raise ApiError(400, "messages: at least one message is required")
    if len(messages) > 100_000:
        raise ApiError(400, "messages: at most 100000 messages are allowed")
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ("user", "assistant", "system"):
            raise ApiError(400, f"messages.{index}.role: Input should be 'user', 'assistant' or 'system'")
        blocks = _blocks(message.get("content"), index)
        if role == "user":
            _check_results(blocks, open_calls, index)
            open_calls = set()
        elif role == "assistant":
            if open_calls:
                raise _unanswered(index, open_calls)
            if any(block.get("type") == "document" for block in blocks):
                raise ApiError(
                    400,
                    f"messages.{index}.content: `document` blocks are not permitted in assistant messages",
                )
            _check_thinking(blocks, index)
            open_calls = {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
    if open_calls:
        raise _unanswered(len(messages) - 1, open_calls)
    if messages[-1]["role"] == "assistant":
        raise ApiError(
            400,
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )


def _check_thinking(blocks: list[dict[str, Any]], index: int) -> None:
    """Thinking has to come back as it was given."""
    for position, block in enumerate(blocks):
        if block["type"] == "thinking" and block.get("signature") != signature_of(str(block.get("thinking"))):
            raise ApiError(
                400, f"messages.{index}.content.{position}: Invalid `signature` in `thinking` block"
            )


def _blocks(content: Any, index: int) -> list[dict[str, Any]]:
    if isinstance(content, str):
        if not content:
            raise ApiError(400, f"messages.{index}: text content blocks must be non-empty")
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise ApiError(400, f"messages.{index}.content: Field required")
    for position, block in enumerate(content):
        if not isinstance(block, dict) or block.get("type") not in _BLOCKS:
            raise ApiError(400, f"messages.{index}.content.{position}.type: Input tag is not known")
    return content


def _check_results(blocks: list[dict[str, Any]], open_calls: set[str], index: int) -> None:
    answered: set[str] = set()
    for position, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        call_id = str(block.get("tool_use_id"))
        if call_id in answered:
            raise ApiError(
                400,
                f"messages.{index}.content.{position}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {call_id}",
            )
        if call_id not in open_calls:
            raise ApiError(
                400,
                f"messages.{index}.content.{position}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
        answered.add(call_id)
    if open_calls - answered:
        raise _unanswered(index, open_calls - answered)


def _unanswered(index: int, calls: set[str]) -> ApiError:
    return ApiError(
        400,
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(sorted(calls))}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    )
