"""CEL expressions over an event: filters, keys, `when` conditions (Common Expression Language)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import cel

from tercet.domain.errors import HandlerFailed

VARIABLES = frozenset({"event", "data", "output"})
_LONGEST = 2_000
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MACRO_VARIABLE = re.compile(r"\.(?:map|filter|all|exists|exists_one)\(\s*([A-Za-z_]\w*)\s*,")


class EvaluationFailed(HandlerFailed):
    """The expression has no value for this event, e.g. because a field is missing."""

    code = "EXPRESSION_FAILED"


class Expression:
    """A compiled expression over `event`, `data` (the event's data) and `output`."""

    def __init__(self, text: str) -> None:
        """Raises ValueError, with the reason in one line, for text that is no expression."""
        if len(text) > _LONGEST:
            raise ValueError(f"an expression has at most {_LONGEST} characters, not {len(text)}")
        self.text = text
        try:
            self._program = cel.compile(_with_data_prefix(text))
        except ValueError as error:
            reason = str(error).partition("ERROR: ")[2] or str(error)
            raise ValueError(reason.splitlines()[0][:200]) from None
        bound = set(_MACRO_VARIABLE.findall(text))
        self.unknown_variables: list[str] = sorted(set(self._program.variables()) - VARIABLES - bound)
        """Names that no evaluation will ever define."""

    def evaluate(self, event: dict[str, Any], output: Any = None) -> Any:
        """Return the value. Raises EvaluationFailed when the event lacks a field or the types do not fit."""
        try:
            return self._program.execute({"event": event, "data": event.get("data") or {}, "output": output})
        except (KeyError, TypeError, ValueError, RuntimeError, OverflowError, ZeroDivisionError) as error:
            raise EvaluationFailed(
                f"{self.text!r} cannot be evaluated: {type(error).__name__} {error}"[:300]
            ) from error

    def holds(self, event: dict[str, Any], output: Any = None) -> bool:
        """Return whether the value is true; a missing field makes it false."""
        try:
            return self.evaluate(event, output) is True
        except EvaluationFailed as failed:
            if isinstance(failed.__cause__, KeyError):
                return False
            raise

    def key(self, event: dict[str, Any]) -> str:
        """Return the value as a key of at most 500 characters. Raises EvaluationFailed when it is no plain value."""
        value = self.evaluate(event)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise EvaluationFailed(f"{self.text!r} gives {type(value).__name__}; a key is a text or a number")
        return str(value)[:500]


def _with_data_prefix(text: str) -> str:
    """`lead.id` alone is short for `data.lead.id`."""
    bare = text.strip()
    if _PATH.fullmatch(bare) and bare.partition(".")[0] not in VARIABLES | {"true", "false", "null"}:
        return f"data.{bare}"
    return text


@lru_cache(maxsize=4_096)
def compile_expression(text: str) -> Expression:
    """Compile once. Raises ValueError for text that is no expression."""
    return Expression(text)
