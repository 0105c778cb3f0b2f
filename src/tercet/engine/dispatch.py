"""Which task runs next: heaps of hints over the queued rows. The database is the truth (DESIGN, 7)."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

_MOST_HINTS = 100_000


class Dispatcher:
    """Offers due tasks, most urgent first, as long as `take` accepts them.

    `take(execution_id, task_id)` answers whether the task was taken; False means that no slot is free.
    """

    def __init__(self, *, now_ms: Callable[[], int], take: Callable[[str, str], bool]) -> None:
        self._now_ms = now_ms
        self._take = take
        self._ready: list[tuple[int, int, str, str]] = []
        self._later: list[tuple[int, int, str, str]] = []
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at_ms = 0
        self.overflowed = False
        """Hints were dropped: a sweep over the rows is needed when the heap runs dry."""

    @property
    def is_dry(self) -> bool:
        """Whether no hint is ready."""
        return not self._ready

    @property
    def next_due_at_ms(self) -> int | None:
        """When the earliest task that is not due yet becomes due."""
        return self._later[0][0] if self._later else None

    def offer(self, *, execution_id: str, task_id: str, priority: int, due_at_ms: int) -> None:
        """Add a hint. A doubled hint is harmless: the claim looks at the task's state."""
        if len(self._ready) + len(self._later) >= _MOST_HINTS:
            self.overflowed = True
            return
        if due_at_ms > self._now_ms():
            heapq.heappush(self._later, (due_at_ms, priority, task_id, execution_id))
            self._set_alarm()
        else:
            heapq.heappush(self._ready, (priority, due_at_ms, task_id, execution_id))

    def pump(self) -> None:
        """Hand out ready tasks until `take` refuses."""
        ready = self._ready
        while ready:
            hint = heapq.heappop(ready)
            if not self._take(hint[3], hint[2]):
                heapq.heappush(ready, hint)
                return

    def clear(self) -> None:
        """Forget all hints."""
        self._ready.clear()
        self._later.clear()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set_alarm(self) -> None:
        due_at_ms = self._later[0][0]
        if self._alarm is not None:
            if self._alarm_at_ms <= due_at_ms:
                return
            self._alarm.cancel()
        self._alarm_at_ms = due_at_ms
        delay = max(0, due_at_ms - self._now_ms()) / 1000
        self._alarm = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        now_ms = self._now_ms()
        while self._later and self._later[0][0] <= now_ms:
            due_at_ms, priority, task_id, execution_id = heapq.heappop(self._later)
            heapq.heappush(self._ready, (priority, due_at_ms, task_id, execution_id))
        if self._later:
            self._set_alarm()
        self.pump()
