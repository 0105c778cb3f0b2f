"""The models that the mock offers, with their limits (vendor's models overview, November 2026)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MockModel:
    """A model's facts."""

    id: str
    line: str
    context: int
    max_output: int
    always_thinks: bool = False


_M = 1_000_000
MODELS = {
    model.id: model
    for model in (
        MockModel("claude-haiku-5-5", "haiku", _M, 128_000),
        MockModel("claude-sonnet-5-5", "sonnet", _M, 128_000, always_thinks=True),
        MockModel("claude-opus-5-5", "opus", _M, 128_000, always_thinks=True),
        MockModel("claude-fable-5-2", "fable", _M, 128_000, always_thinks=True),
        MockModel("claude-fable-5-1", "fable", _M, 128_000, always_thinks=True),
        MockModel("claude-opus-5", "opus", _M, 128_000),
        MockModel("claude-opus-4-8", "opus", _M, 128_000),
        MockModel("claude-sonnet-5", "sonnet", _M, 128_000),
        MockModel("claude-sonnet-4-6", "sonnet", _M, 128_000),
        MockModel("claude-haiku-4-5", "haiku", 200_000, 64_000),
        MockModel("claude-sonnet-4-5", "sonnet", 200_000, 64_000),
    )
}


def to_wire(model: MockModel) -> dict[str, Any]:
    """Return the ModelInfo of `GET /v1/models`."""
    words = model.id.removeprefix("claude-").split("-")
    return {
        "id": model.id,
        "type": "model",
        "display_name": f"Claude {words[0].title()} {'.'.join(words[1:])}",
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "line": model.line,
        "max_input_tokens": model.context,
        "max_tokens": model.max_output,
        "capabilities": {},
        "deprecated_at": None,
        "retires_at": None,
    }
