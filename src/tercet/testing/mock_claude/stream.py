"""A message as server-sent events, in the API's order."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import to_json

_CHUNK = 24


def opening_events(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what every stream begins with: message_start, ping."""
    opening = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": {**message["usage"], "output_tokens": min(1, message["usage"]["output_tokens"])},
    }
    return [{"type": "message_start", "message": opening}, {"type": "ping"}]


def sse_events(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events: message_start, ping, the blocks, message_delta, message_stop."""
    events = opening_events(message)
    for index, block in enumerate(message["content"]):
        events += _block(index, block)
    events.append(
        {
            "type": "message_delta",
            "delta": {
                "stop_reason": message["stop_reason"],
                "stop_sequence": message["stop_sequence"],
                "stop_details": message["stop_details"],
                "container": None,
            },
            "usage": {
                "input_tokens": message["usage"]["input_tokens"],
                "output_tokens": message["usage"]["output_tokens"],
                "output_tokens_details": message["usage"]["output_tokens_details"],
                "cache_creation_input_tokens": message["usage"]["cache_creation_input_tokens"],
                "cache_read_input_tokens": message["usage"]["cache_read_input_tokens"],
                "server_tool_use": None,
            },
        }
    )
    events.append({"type": "message_stop"})
    return events


def _block(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        start: dict[str, Any] = {"type": "text", "text": "", "citations": None}
        deltas = [{"type": "text_delta", "text": part} for part in _chunks(block["text"])]
    elif block["type"] == "tool_use":
        start = {**block, "input": {}}
        parts = ["", *_chunks(to_json(block["input"]))]
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    else:
        start = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": part} for part in _chunks(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _chunks(text: str) -> list[str]:
    return [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
