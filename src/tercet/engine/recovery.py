"""What a crash or a lost commit left behind is found in the rows and offered again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tercet.domain.errors import NotFound, StoreUnavailable
from tercet.domain.status import TaskStatus
from tercet.engine.runner import hand_back
from tercet.engine.state import ExecutionState
from tercet.store.executions import next_queued_at_ms, queued_tasks, running_executions
from tercet.store.unit import Unit

if TYPE_CHECKING:
    from tercet.engine.engine import Engine

_SWEEP_LIMIT = 1_000
_LONGEST_NAP_SECONDS = 3_600.0


class Recovery:
    """Hands back what nobody runs, and offers what nobody was offered."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sweeping = False
        self._alarm: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Hand back what the last process left running, then offer what is queued."""
        for execution_id in await self._engine.reader.read(running_executions):
            async with self._engine.hold(execution_id) as state:
                self.hand_back_running(state)
        await self._sweep()

    def stop(self) -> None:
        """Plan no further sweep."""
        if self._alarm is not None:
            self._alarm.cancel()

    def sweep_soon(self) -> None:
        """Look into the rows: the heap's hints are not complete."""
        if not self._sweeping and not self._engine.stopping:
            self._sweeping = True
            self._engine.spawn(self._sweep())

    async def _sweep(self) -> None:
        engine = self._engine
        now_ms = engine.clock.now_ms()
        try:
            rows = await engine.reader.read(queued_tasks, now_ms=now_ms, limit=_SWEEP_LIMIT)
            next_at_ms = await engine.reader.read(next_queued_at_ms, now_ms)
        finally:
            self._sweeping = False
        engine.dispatcher.overflowed = len(rows) == _SWEEP_LIMIT
        for row in rows:
            engine.dispatcher.offer(
                execution_id=row["execution_id"],
                task_id=row["id"],
                priority=row["priority"],
                due_at_ms=row["due_at_ms"],
            )
        if next_at_ms is not None:
            self._wake_at(next_at_ms)
        engine.pump()

    def _wake_at(self, at_ms: int) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        delay = min(_LONGEST_NAP_SECONDS, max(0.0, (at_ms - self._engine.clock.now_ms()) / 1000))
        self._alarm = asyncio.get_running_loop().call_later(delay, self.sweep_soon)

    def hand_back_running(self, state: ExecutionState) -> None:
        """Queue the tasks that are marked as running although nobody here runs them."""
        engine = self._engine
        running = [
            task
            for task in state.tasks.values()
            if task.status is TaskStatus.RUNNING and not task.is_work and not engine.runs(task.id)
        ]
        if not running or state.lost:
            return
        change = engine.change(state)
        for task in running:
            hand_back(change, task, "handed back")
        engine.submit(change)

    def on_lost(self, units: list[Unit], error: Exception) -> None:
        """These units were lost: forget what was built on them and begin again from the rows."""
        engine = self._engine
        for stream in {stream for unit in units for stream in unit.streams}:
            state = engine.states.drop(stream)
            if state is None:
                continue
            for task_id in state.tasks:
                engine.abandon(task_id)
            if not engine.stopping:
                engine.spawn(self._recover(stream, 1.0 if isinstance(error, StoreUnavailable) else 0.05))

    async def _recover(self, execution_id: str, delay_seconds: float) -> None:
        engine = self._engine
        while not engine.stopping:
            await asyncio.sleep(delay_seconds)
            try:
                async with engine.hold(execution_id) as state:
                    self.hand_back_running(state)
                    for task in state.tasks.values():
                        if task.status is TaskStatus.QUEUED and not task.is_work:
                            engine.dispatcher.offer(
                                execution_id=state.id,
                                task_id=task.id,
                                priority=task.priority,
                                due_at_ms=task.due_at_ms,
                            )
                engine.pump()
                return
            except NotFound:
                return
            except StoreUnavailable:
                delay_seconds = min(30.0, delay_seconds * 2)
