"""Time comes in through a clock, so that a simulation can own it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Gives the time; `now_ms` is what the store keeps."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


def to_datetime(at_ms: int) -> datetime:
    """Return the aware UTC datetime of `at_ms`."""
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC)


def to_iso(at_ms: int | None) -> str | None:
    """Return `at_ms` as ISO 8601 with milliseconds and `Z`, or None."""
    if at_ms is None:
        return None
    return to_datetime(at_ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")
