"""Ids: a prefix that says what it names, then 26 characters that sort by time.

The layout is ULID's (48 bits of milliseconds, 80 bits of randomness, Crockford base 32), so rows made
one after another lie beside each other in every index.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NewType

ExecutionId = NewType("ExecutionId", str)
TaskId = NewType("TaskId", str)
EventId = NewType("EventId", str)
ApprovalId = NewType("ApprovalId", str)

RandomBytes = Callable[[int], bytes]
"""Gives n random bytes: `os.urandom`, or a seeded generator's `randbytes` in a simulation."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _ALPHABET for b in _ALPHABET]
_MASK = (1 << 80) - 1


class IdMint:
    """Mints ids that sort by time, also within one millisecond.

    `now_ms` gives milliseconds since the epoch; a clock that steps back never makes an id step back.
    """

    def __init__(self, *, now_ms: Callable[[], int], random_bytes: RandomBytes = os.urandom) -> None:
        self._now_ms = now_ms
        self._random_bytes = random_bytes
        self._last_ms = -1
        self._low = 0

    def mint(self, prefix: str) -> str:
        """Return `prefix_XXXXXXXXXXXXXXXXXXXXXXXXXX`, greater than every id minted before it."""
        ms = self._now_ms()
        if ms > self._last_ms:
            self._last_ms = ms
            # The top bit stays free so that increments within the millisecond cannot overflow.
            self._low = int.from_bytes(self._random_bytes(10)) >> 1
        else:
            self._low = (self._low + 1) & _MASK
        value = (self._last_ms << 80) | self._low
        pairs = _PAIRS
        return (
            f"{prefix}_{pairs[value >> 120 & 1023]}{pairs[value >> 110 & 1023]}{pairs[value >> 100 & 1023]}"
            f"{pairs[value >> 90 & 1023]}{pairs[value >> 80 & 1023]}{pairs[value >> 70 & 1023]}"
            f"{pairs[value >> 60 & 1023]}{pairs[value >> 50 & 1023]}{pairs[value >> 40 & 1023]}"
            f"{pairs[value >> 30 & 1023]}{pairs[value >> 20 & 1023]}{pairs[value >> 10 & 1023]}{pairs[value & 1023]}"
        )


def first_id(prefix: str, at_ms: int) -> str:
    """Return the smallest id that could be minted at `at_ms`: ids from then on are not less."""
    letters = [_ALPHABET[at_ms >> shift & 31] for shift in range(45, -5, -5)]
    return f"{prefix}_{''.join(letters)}{'0' * 16}"


def event_id(execution_id: str, seq: int) -> EventId:
    """Return the id of an execution's event number `seq`: `evt_<execution>_<seq>`, known before the commit."""
    return EventId(f"evt_{execution_id.partition('_')[2]}_{seq}")
