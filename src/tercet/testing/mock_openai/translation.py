"""Between the two formats: a chat completion request read as a Messages request, and the answer back."""

from __future__ import annotations

import hashlib
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.testing.mock_claude.errors import ApiError

_DEFAULT_MAX_TOKENS = 4_096


def to_messages_request(body: Any) -> dict[str, Any]:
    """Return the request as the mock Claude understands it. Raises ApiError."""
    if not isinstance(body, dict):
        raise ApiError(400, "We could not parse the JSON body of your request.")
    for key in ("model", "messages"):
        if not body.get(key):
            raise ApiError(400, f"Missing required parameter: '{key}'.")
    if not isinstance(body["messages"], list):
        raise ApiError(400, "Invalid type for 'messages': expected an array.")
    system: list[str] = []
    messages: list[dict[str, Any]] = []
    for index, message in enumerate(body["messages"]):
        _add(message, index, system, messages)
    out: dict[str, Any] = {
        "model": body["model"],
        "messages": messages,
        "system": "\n\n".join(system),
        "max_tokens": body.get("max_completion_tokens") or body.get("max_tokens") or _DEFAULT_MAX_TOKENS,
        "stop_sequences": [body["stop"]] if isinstance(body.get("stop"), str) else body.get("stop") or [],
    }
    tools = [_tool(tool, index) for index, tool in enumerate(body.get("tools") or [])]
    if tools:
        out["tools"] = tools
    choice = body.get("tool_choice")
    if choice == "required":
        out["tool_choice"] = {"type": "any"}
    elif choice == "none":
        out["tool_choice"] = {"type": "none"}
    elif isinstance(choice, dict):
        out["tool_choice"] = {"type": "tool", "name": choice.get("function", {}).get("name")}
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if schema is not None:
        out["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    return out


def _add(message: Any, index: int, system: list[str], messages: list[dict[str, Any]]) -> None:
    role = message.get("role") if isinstance(message, dict) else None
    if role in ("system", "developer"):
        system.append(_text(message.get("content")))
    elif role == "user":
        messages.append({"role": "user", "content": _text(message.get("content")) or " "})
    elif role == "assistant":
        content: list[dict[str, Any]] = []
        if message.get("content"):
            content.append({"type": "text", "text": _text(message["content"])})
        for call in message.get("tool_calls") or []:
            function = call["function"]
            content.append(
                {
                    "type": "tool_use", "id": call["id"], "name": function["name"],
                    "input": from_json(function["arguments"] or "{}"),
                }
            )  # fmt: skip
        messages.append({"role": "assistant", "content": content or [{"type": "text", "text": " "}]})
    elif role == "tool":
        block = {
            "type": "tool_result",
            "tool_use_id": message.get("tool_call_id"),
            "content": _text(message.get("content")),
        }
        last = messages[-1] if messages else None
        if last is not None and last["role"] == "user" and isinstance(last["content"], list):
            last["content"].append(block)
        else:
            messages.append({"role": "user", "content": [block]})
    else:
        raise ApiError(400, f"Invalid value: '{role}' for messages[{index}].role.")


def _tool(tool: Any, index: int) -> dict[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not function.get("name"):
        raise ApiError(400, f"Missing required parameter: 'tools[{index}].function.name'.")
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return {"name": function["name"], "description": function.get("description", ""), "input_schema": schema}


def to_completion(body: dict[str, Any], message: dict[str, Any], *, created_at: int) -> dict[str, Any]:
    """Return a chat completion for a message of the mock Claude."""
    calls = [
        {
            "id": block["id"].replace("toolu_", "call_"), "type": "function",
            "function": {"name": block["name"], "arguments": to_json(block["input"])},
        }
        for block in message["content"]
        if block["type"] == "tool_use"
    ]  # fmt: skip
    text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": text or None,
        "refusal": None,
        "annotations": [],
    }
    if calls:
        answer["tool_calls"] = calls
    usage = message["usage"]
    total = usage["input_tokens"] + usage["output_tokens"]
    reasons = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
    return {
        "id": f"chatcmpl-{hashlib.sha256(message['id'].encode()).hexdigest()[:24]}",
        "object": "chat.completion",
        "created": created_at,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": answer, "logprobs": None, "finish_reason": reasons.get(message["stop_reason"], "stop")}
        ],
        "usage": {
            "prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"], "total_tokens": total,
            "prompt_tokens_details": {"cached_tokens": usage["cache_read_input_tokens"]},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_mock",
    }  # fmt: skip


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return "" if content is None else str(content)
