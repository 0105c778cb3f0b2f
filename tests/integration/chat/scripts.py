"""Rules for the mock Claude that several tests share."""

from __future__ import annotations

from typing import Any

DECIDER = "You decide what happens"
OVERLOADED = {"error": {"status": 529, "type": "overloaded_error", "message": "secret internal detail"}}


def decided(*, times: int | None = None, **answer: Any) -> dict[str, Any]:
    """Return the rule for the decider's answer."""
    reply = {"json": {"confidence": 0.9, **answer}}
    return {"match": {"system_contains": DECIDER}, "reply": reply, **({"times": times} if times else {})}


WRITE = decided(action="execute", executor_type="llm", task={"prompt": "Write."})
