"""Problems of a manifest: where, which rule, what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One finding. Lines and columns count from 1."""

    severity: Literal["error", "warning"]
    rule: str
    message: str
    hint: str
    file: str
    line: int
    column: int

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column} {self.severity} {self.rule}: {self.message}{hint}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A problem before it has a place: `path` leads to the value in the document."""

    rule: str
    message: str
    hint: str = ""
    path: Path = ()
    severity: Literal["error", "warning"] = "error"
