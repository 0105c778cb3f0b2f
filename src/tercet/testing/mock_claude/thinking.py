"""Thinking blocks: which models think, and a signature that says whether a block came back unchanged."""

from __future__ import annotations

import hashlib
from typing import Any

from tercet.testing.mock_claude.models import MockModel

_THOUGHT = "The question is read, and the answer follows from it."


def thinking_blocks(asked: dict[str, Any] | None, model: MockModel) -> list[dict[str, Any]]:
    """Return the thinking before an answer, as the model does it unless the request says otherwise."""
    kind = (asked or {}).get("type")
    wanted = kind in ("enabled", "adaptive") or (kind is None and model.thinks == "by_default")
    if wanted or model.thinks == "always":
        return [{"type": "thinking", "thinking": _THOUGHT, "signature": signature_of(_THOUGHT)}]
    return []


def signature_of(thinking: str) -> str:
    """Return the signature of a block's text."""
    return "mock-" + hashlib.sha256(thinking.encode()).hexdigest()[:32]
