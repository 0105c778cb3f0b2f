"""An event loop whose time jumps to the next timer as soon as nothing is left to do."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")
_POLL_SECONDS = 0.002

_START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z"""


class _JumpingSelector(selectors.BaseSelector):
    """Never waits for time: what would be waited is added to the loop's clock."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.seconds = 0.0
        self.threads_at_work = 0

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return self._real.select(None)
        if self.threads_at_work:
            return self._real.select(_POLL_SECONDS)
        ready = self._real.select(0)
        if not ready and timeout > 0:
            # Far from zero a tiny step would be lost to rounding, and time would stand still for ever.
            self.seconds = max(self.seconds + timeout, math.nextafter(self.seconds, math.inf))
        return ready

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`loop_factory=VirtualTimeLoop`: a year of waiting takes milliseconds. Time stands still while
    `run_in_executor` has work; threads of other making are not seen."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)
        # The loop counts timers within its resolution as due; jumps must end on the far side of it.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._jumping.seconds

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        self._jumping.threads_at_work += 1
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, _future: object) -> None:
        self._jumping.threads_at_work -= 1


class VirtualClock:
    """The clock of the running virtual loop, from `start_ms` on."""

    def __init__(self, start_ms: int = _START_MS) -> None:
        self._start_ms = start_ms

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self._start_ms + round(asyncio.get_running_loop().time() * 1000)
