"""Builds the message that carries an answer: thinking, limits, token counts."""

from __future__ import annotations

import hashlib
from typing import Any

from tercet.domain.codec import to_json
from tercet.testing.mock_claude.answers import Answer, seed_of
from tercet.testing.mock_claude.models import MockModel
from tercet.testing.mock_claude.thinking import thinking_blocks

_CHARACTERS_A_TOKEN = 4
_OVERHEAD_TOKENS = 3
_IMAGE_TOKENS = 1_600
_DOCUMENT_BYTES_A_TOKEN = 16


def count_tokens(body: dict[str, Any]) -> int:
    """Return a plausible count: a token for four characters of everything that the model reads."""
    read = {key: body[key] for key in ("system", "messages", "tools", "output_config") if body.get(key)}
    text, files = _without_files(read)
    return len(to_json(text)) // _CHARACTERS_A_TOKEN + files + _OVERHEAD_TOKENS


def build_message(
    body: dict[str, Any],
    model: MockModel,
    reply: Answer,
    *,
    tokens_input: int,
    cached: tuple[int, int, int] | None = None,
) -> dict[str, Any]:
    """Return the message of a non-streamed answer; it ends where `stop_sequences` or `max_tokens` say."""
    thinking = thinking_blocks(body.get("thinking"), model)
    content, stop_sequence = _until_stop(reply.content, body.get("stop_sequences") or [])
    stop_reason = "stop_sequence" if stop_sequence is not None else reply.stop_reason
    thought = sum(_tokens(block["thinking"]) + 1 for block in thinking)
    tokens_output = thought + len(to_json(content)) // _CHARACTERS_A_TOKEN + 1
    limit = body["max_tokens"]
    if tokens_output > limit:
        thinking, content = (
            (thinking, _first_tokens(content, limit - thought)) if thought <= limit else ([], [])
        )
        thought, tokens_output = min(thought, limit), limit
        stop_reason, stop_sequence = "max_tokens", None
    return {
        "id": f"msg_01{hashlib.sha256(str(seed_of(body)).encode()).hexdigest()[:22]}",
        "type": "message",
        "role": "assistant",
        "model": model.id,
        "content": thinking + content,
        "stop_reason": stop_reason,
        "stop_sequence": stop_sequence,
        "stop_details": _refusal() if stop_reason == "refusal" else None,
        "container": None,
        "diagnostics": None,
        "usage": _usage(body, cached or (tokens_input, 0, 0), tokens_output=tokens_output, thought=thought),
    }


def _usage(
    body: dict[str, Any], cached: tuple[int, int, int], *, tokens_output: int, thought: int
) -> dict[str, Any]:
    fresh, written, read = cached
    return {
        "input_tokens": fresh,
        "output_tokens": tokens_output,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        "output_tokens_details": {"thinking_tokens": thought},
        "server_tool_use": None,
        "service_tier": "standard",
        "speed": body.get("speed") or "standard",
        "inference_geo": body.get("inference_geo") or "global",
    }


def _refusal() -> dict[str, Any]:
    return {"type": "refusal", "category": None, "explanation": "The script of the mock asks for a refusal."}


def _without_files(value: Any) -> tuple[Any, int]:
    """Return the value without encoded files, and the tokens that these stand for."""
    if isinstance(value, list):
        parts = [_without_files(part) for part in value]
        return [part for part, _ in parts], sum(tokens for _, tokens in parts)
    if not isinstance(value, dict):
        return value, 0
    source = value.get("source")
    if isinstance(source, dict) and isinstance(source.get("data"), str) and source.get("type") == "base64":
        size = len(source["data"])
        return {}, _IMAGE_TOKENS if value.get("type") == "image" else size // _DOCUMENT_BYTES_A_TOKEN
    pairs = {key: _without_files(part) for key, part in value.items()}
    return {key: part for key, (part, _) in pairs.items()}, sum(tokens for _, tokens in pairs.values())


def _tokens(text: str) -> int:
    return len(text) // _CHARACTERS_A_TOKEN


def _until_stop(
    content: list[dict[str, Any]], sequences: list[str]
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the blocks up to the first stop sequence, and that sequence."""
    for index, block in enumerate(content):
        if block["type"] != "text":
            continue
        found = [(block["text"].find(stop), stop) for stop in sequences if stop and stop in block["text"]]
        if found:
            place, stop = min(found)
            return _with_text([*content[:index], {**block, "text": block["text"][:place]}]), stop
    return content, None


def _first_tokens(content: list[dict[str, Any]], tokens: int) -> list[dict[str, Any]]:
    """Return the texts that fit into so many tokens; a tool call that does not fit is left out."""
    left = tokens * _CHARACTERS_A_TOKEN
    kept = []
    for block in content:
        if block["type"] != "text":
            break
        kept.append({**block, "text": block["text"][:left]})
        left = max(left - len(block["text"]), 0)
    return _with_text(kept)


def _with_text(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for block in content if block["type"] != "text" or block["text"]]
