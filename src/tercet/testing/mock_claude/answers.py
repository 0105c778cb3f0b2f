"""What the mock says: scripted, schema-bound, a tool call, or plain text. Deterministic."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import to_json
from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.instances import NoInstance, make_instance
from tercet.testing.mock_claude.script import Reply, ScriptPlayer, ToolUse

_ARITHMETIC = re.compile(r"(-?\d+(?:\.\d+)?)\s*([+\-*/×÷^])\s*(-?\d+(?:\.\d+)?)")
_OPERATIONS = {
    "+": "add", "-": "subtract", "*": "multiply", "×": "multiply", "/": "divide", "÷": "divide", "^": "power",
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """The blocks of one assistant turn."""

    content: list[dict[str, Any]]
    stop_reason: str
    delay_seconds: float = 0.0


def text_of(content: Any) -> str:
    """Return the text of a message's content, tool results included."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_result":
            parts.append(text_of(block.get("content")))
        elif block.get("type") == "tool_use":
            parts.append(to_json(block.get("input")))
    return "\n".join(parts)


def seed_of(body: dict[str, Any]) -> int:
    """Return a number that only depends on what was asked."""
    asked = {key: body.get(key) for key in ("model", "messages", "system", "tools", "output_config")}
    return int.from_bytes(hashlib.sha256(to_json(asked).encode()).digest()[:8])


def answer(body: dict[str, Any], player: ScriptPlayer) -> Answer:
    """Return the answer to a valid request. Raises ApiError when the script says so."""
    last = body["messages"][-1]
    prompt = text_of(last.get("content"))
    system = text_of(body.get("system"))
    tools = [tool["name"] for tool in body.get("tools") or []]
    seed = seed_of(body)
    scripted = player.reply_to(prompt=prompt, system=system, model=body["model"], tools=tools)
    if scripted is not None:
        return _scripted(scripted, seed)
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    if schema is not None:
        try:
            instance = make_instance(schema, prompt=prompt, seed=seed)
        except (NoInstance, ValueError) as error:
            raise ApiError(400, f"output_config.format.schema: {error}") from error
        return Answer([_text(to_json(instance))], "end_turn")
    results = _tool_results(last)
    if results:
        return Answer([_text(f"The result is {'; '.join(results)}.")], "end_turn")
    call = _arithmetic_call(prompt) if "calculator" in tools else None
    if call is not None and (body.get("tool_choice") or {}).get("type") != "none":
        return Answer([_tool_use(call, seed, 0)], "tool_use")
    return Answer([_text(_echo(prompt))], "end_turn")


def _scripted(reply: Reply, seed: int) -> Answer:
    if reply.error is not None:
        raise ApiError(
            reply.error.status,
            reply.error.message,
            error_type=reply.error.type,
            retry_after_seconds=reply.error.retry_after,
        )
    content = []
    if reply.text is not None:
        content.append(_text(reply.text))
    if reply.json_value is not None:
        content.append(_text(to_json(reply.json_value)))
    calls = reply.tool_use if isinstance(reply.tool_use, list) else [reply.tool_use] if reply.tool_use else []
    content += [_tool_use(call, seed, index) for index, call in enumerate(calls)]
    return Answer(content, reply.stop_reason or ("tool_use" if calls else "end_turn"), reply.delay_seconds)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": None}


def _tool_use(call: ToolUse, seed: int, index: int) -> dict[str, Any]:
    call_id = hashlib.sha256(f"{seed}:{index}".encode()).hexdigest()[:24]
    return {
        "type": "tool_use", "id": f"toolu_{call_id}", "name": call.name, "input": call.input, "caller": {"type": "direct"},
    }  # fmt: skip


def _tool_results(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [_plain_result(text_of(b.get("content"))) for b in content if b.get("type") == "tool_result"]


def _plain_result(text: str) -> str:
    found = re.search(r'"result"\s*:\s*"?(-?[\d.]+)"?\s*[,}]', text)
    return found.group(1) if found else text


def _arithmetic_call(prompt: str) -> ToolUse | None:
    found = _ARITHMETIC.search(prompt)
    if found is None:
        return None
    return ToolUse(
        name="calculator",
        input={
            "operation": _OPERATIONS[found.group(2)],
            "a": _number(found.group(1)),
            "b": _number(found.group(3)),
        },
    )


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _echo(prompt: str) -> str:
    words = prompt.split()
    return f"[mock Claude] You wrote {len(words)} words: {' '.join(words[:30])}"
