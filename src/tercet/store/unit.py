"""A unit: the statements of one change, committed together or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Statement:
    """One kind of write. `phase` orders kinds within a batch: inserts before updates before deletes."""

    name: str
    phase: int
    sql: str
    columns: tuple[str, ...]
    """The order of the values in a row."""
    sealed: tuple[tuple[int, str], ...] = ()
    """The positions that are sealed on their way to the disk, each with what the text belongs to."""


class Unit:
    """Collects rows until it is handed to the journal; `committed` callbacks run after the commit."""

    __slots__ = ("after_commit", "future", "rows", "streams", "timers_due_at_ms")

    def __init__(self) -> None:
        self.rows: list[tuple[Statement, Row]] = []
        self.streams: set[str] = set()
        """The executions whose event stream this unit extends."""
        self.after_commit: list[Callable[[], None]] = []
        self.timers_due_at_ms: int | None = None
        """The earliest timer that the unit inserts."""
        self.future: asyncio.Future[None] | None = None

    def add(self, statement: Statement, row: Row) -> None:
        """Add one row of `statement`, its values in the order of `statement.columns`."""
        self.rows.append((statement, row))


class Journal(Protocol):
    """Commits units in groups, durably, in the order in which they were submitted."""

    def submit(self, unit: Unit) -> asyncio.Future[None]:
        """Queue the unit. The future ends when the unit is on disk, or with why it is not:
        `StaleClaim` when another writer was first, `Conflict` for a doubled key, `StoreUnavailable`."""
        ...

    async def barrier(self) -> None:
        """Return when everything submitted before is on disk."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...
