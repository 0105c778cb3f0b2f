"""What an import found wrong: named, so that the rest can be imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanProblem:
    """One thing that was left out or changed."""

    place: str
    """File and id, or line."""
    rule: str
    message: str
    hint: str

    def to_wire(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"place": self.place, "rule": self.rule, "message": self.message, "hint": self.hint}
