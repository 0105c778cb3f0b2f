"""Notices an agent that makes the same call again and again and always gets the same answer."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import digest

_SAME_ANSWERS = 3
_MOST_WARNINGS = 3


class StuckWatch:
    """Counts equal calls with equal outcomes."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, int]] = {}
        self._warnings = 0

    def is_repeated(self, name: str, arguments: Any) -> bool:
        """Return whether this call has given the same answer so often that it must not be made again."""
        _, times = self._seen.get(_key(name, arguments), ("", 0))
        return times >= _SAME_ANSWERS

    def saw(self, name: str, arguments: Any, answer: str) -> None:
        """Count a call's answer."""
        key = _key(name, arguments)
        before, times = self._seen.get(key, ("", 0))
        mark = digest(answer)
        self._seen[key] = (mark, times + 1 if mark == before else 1)

    def warn(self) -> bool:
        """Count a warning; return whether the agent has had too many."""
        self._warnings += 1
        return self._warnings > _MOST_WARNINGS


def _key(name: str, arguments: Any) -> str:
    return digest([name, arguments])
