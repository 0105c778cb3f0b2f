"""What runs tell those who watch them live: text as it is written, tool calls, results. Nothing here is durable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MOST_WAITING = 2_000
_PIECES = frozenset({"task.progress", "message.delta"})
RunEvent = dict[str, Any]
"""{type, execution_id, data}: type is task.started, .progress, .tool_use, .tool_result, .completed, .failed."""


class RunFeed:
    """Watchers by execution. A slow one misses pieces of text, never an ending."""

    def __init__(self) -> None:
        self._watchers: dict[str, list[asyncio.Queue[RunEvent]]] = {}
        self._answers: dict[str, dict[str, Any] | None] = {}

    def is_watched(self, execution_id: str) -> bool:
        """Return whether anybody watches: only then is a model asked to stream."""
        return execution_id in self._watchers

    def expect(self, execution_id: str) -> None:
        """Say that somebody of this process waits for the answer, so that it need not be read back."""
        self._answers[execution_id] = None

    def answer(self, execution_id: str, answer: dict[str, Any]) -> None:
        """Hand over the answer of a run; it counts when the run's end is committed."""
        if execution_id in self._answers:
            self._answers[execution_id] = answer

    def take_answer(self, execution_id: str) -> dict[str, Any] | None:
        """Return the answer of a run that has ended in this process, once."""
        return self._answers.pop(execution_id, None)

    @contextmanager
    def watch(self, execution_id: str) -> Iterator[asyncio.Queue[RunEvent]]:
        """Watch an execution for the block."""
        queue: asyncio.Queue[RunEvent] = asyncio.Queue()
        self._watchers.setdefault(execution_id, []).append(queue)
        try:
            yield queue
        finally:
            left = [other for other in self._watchers[execution_id] if other is not queue]
            if left:
                self._watchers[execution_id] = left
            else:
                del self._watchers[execution_id]

    def tell(self, execution_id: str, kind: str, data: dict[str, Any]) -> None:
        """Tell all who watch."""
        for queue in self._watchers.get(execution_id, ()):
            if kind not in _PIECES or queue.qsize() < _MOST_WAITING:
                queue.put_nowait({"type": kind, "execution_id": execution_id, "data": data})
