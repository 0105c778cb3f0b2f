"""The timer loop: fires rows that are due. A timer's row goes in the same commit as what it causes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import structlog

from tercet.domain.codec import from_json
from tercet.domain.errors import NotFound, OperatorError, StaleClaim, StoreUnavailable
from tercet.domain.status import ExecutionStatus, TaskStatus
from tercet.engine.changes import Change
from tercet.engine.routing import record_and_route, start_fan_in
from tercet.engine.state import ExecutionState
from tercet.engine.waiting import wake
from tercet.store import statements as sql
from tercet.store.executions import due_timers, next_timer_at_ms
from tercet.store.reader import Record
from tercet.store.unit import Unit

if TYPE_CHECKING:
    from tercet.engine.engine import Engine

_log = structlog.get_logger(__name__)
_BATCH = 200
_LONGEST_NAP_SECONDS = 300.0
TimerHandler = Callable[[Record], Awaitable[None]]


class TimerLoop:
    """Fires due timers, in order, a batch at a time. Memory does not grow with the number of timers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._handlers: dict[str, TimerHandler] = {
            "sleep": self._wake_sleeper,
            "wait_timeout": self._wake_sleeper,
            "fan_in_timeout": self._end_fan_in,
            "delayed_event": self._emit_delayed,
        }
        self._loop_task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._next_at_ms: int | None = None

    def on(self, kind: str, handler: TimerHandler) -> None:
        """Register who handles timers of `kind`; the handler deletes the timer in the change that it makes."""
        self._handlers[kind] = handler

    async def start(self) -> None:
        self._loop_task = asyncio.create_task(self._run(), name="tercet-timers")

    async def stop(self) -> None:
        if self._loop_task is not None:
            self._loop_task.cancel()
            await asyncio.gather(self._loop_task, return_exceptions=True)

    def wake_by(self, due_at_ms: int) -> None:
        """Hear that a timer was committed that is due at `due_at_ms`."""
        if self._hear_of(due_at_ms):
            self._wake.set()

    def _hear_of(self, due_at_ms: int) -> bool:
        """Return whether it is due before all that is known."""
        earlier = self._next_at_ms is None or due_at_ms < self._next_at_ms
        if earlier:
            self._next_at_ms = due_at_ms
        return earlier

    async def _run(self) -> None:
        while True:
            # What is committed from here on wakes the loop, also when it is due at this very millisecond.
            self._next_at_ms = None
            try:
                await self._tick()
            except asyncio.CancelledError:
                raise
            except OperatorError as error:
                _log.error("timers.tick_failed", error=str(error))
                await asyncio.sleep(1.0)
            except Exception:
                _log.exception("timers.tick_failed")
                await asyncio.sleep(1.0)

    async def _tick(self) -> None:
        engine = self._engine
        now_ms = engine.clock.now_ms()
        self._wake.clear()
        rows = await engine.reader.read(due_timers, now_ms, _BATCH)
        # Side by side, so that timers that are due together share a commit.
        await asyncio.gather(*(self._fire(row) for row in rows))
        if len(rows) == _BATCH:
            return
        next_at_ms = await engine.reader.read(next_timer_at_ms, now_ms)
        if next_at_ms is not None:
            self._hear_of(next_at_ms)
        nap = _LONGEST_NAP_SECONDS
        if self._next_at_ms is not None:
            nap = min(nap, max(0.0, (self._next_at_ms - engine.clock.now_ms()) / 1000))
        try:
            # Not wait_for: in Python 3.11 it swallows a cancellation that meets the event.
            async with asyncio.timeout(nap):
                await self._wake.wait()
        except TimeoutError:
            return
        if self._next_at_ms is not None:
            early = (self._next_at_ms - engine.clock.now_ms()) / 1000
            if early > 0:
                # A timer that comes earlier than the nap's end; look again then, unless woken before.
                self._wake.clear()
                try:
                    async with asyncio.timeout(min(early, _LONGEST_NAP_SECONDS)):
                        await self._wake.wait()
                except TimeoutError:
                    return

    async def _fire(self, row: Record) -> None:
        handler = self._handlers.get(row["kind"])
        try:
            if handler is None:
                raise NotFound(f"nobody handles timers of kind {row['kind']!r}")
            await handler(row)
        except NotFound as error:
            _log.warning("timer.dropped", timer_id=row["id"], kind=row["kind"], reason=str(error))
            unit = Unit()
            unit.add(sql.DELETE_TIMER, (row["id"],))
            await self._engine.journal.submit(unit)
        except (StaleClaim, StoreUnavailable) as error:
            _log.warning("timer.postponed", timer_id=row["id"], reason=str(error))
            await asyncio.sleep(0.05)

    def _delete(self, change: Change, row: Record) -> None:
        change.unit.add(sql.DELETE_TIMER, (row["id"],))

    async def _wake_sleeper(self, row: Record) -> None:
        async with self._engine.hold(row["execution_id"]) as state:
            change = self._engine.change(state)
            self._delete(change, row)
            task = state.tasks.get(row["task_id"])
            step = from_json(row["payload"])["step"]
            waits_for_event = row["kind"] == "wait_timeout"
            still_waiting = not waits_for_event or any(
                w.task_id == row["task_id"] and w.step == step for w in state.waits
            )
            if task is not None and task.status is TaskStatus.BLOCKED and still_waiting:
                wake(change, task, step=step, result=None)
            await self._engine.submit(change)

    async def _end_fan_in(self, row: Record) -> None:
        payload = from_json(row["payload"])
        async with self._engine.hold(row["execution_id"]) as state:
            definition = await self._engine.definition_of(state)
            change = self._engine.change(state)
            self._delete(change, row)
            fan_in = state.fan_ins.get((payload["handler"], payload["key"]))
            if fan_in is not None and fan_in.status == "waiting" and not state.ended:
                start_fan_in(change, definition, fan_in, hops=payload["hops"], partial=True)
                change.touch()
            await self._engine.submit(change)

    async def _emit_delayed(self, row: Record) -> None:
        payload: dict[str, Any] = from_json(row["payload"])
        async with self._engine.hold(row["execution_id"]) as state:
            if state.status is ExecutionStatus.PAUSED:
                await self._postpone(row, state)
                return
            definition = await self._engine.definition_of(state)
            change = self._engine.change(state)
            self._delete(change, row)
            state.delayed_events -= 1
            change.touch()
            if not state.ended:
                record_and_route(
                    change, definition, name=payload["name"], data=payload["data"], hops=payload["hops"],
                    source=payload["source"], task_id=row["task_id"],
                )  # fmt: skip
            await self._engine.submit(change)

    async def _postpone(self, row: Record, state: ExecutionState) -> None:
        """A paused execution emits nothing: look again in a minute."""
        change = self._engine.change(state)
        self._delete(change, row)
        due_at_ms = change.now_ms + 60_000
        change.unit.add(
            sql.INSERT_TIMER,
            (
                change.mint.mint("tmr"),
                due_at_ms,
                row["kind"],
                row["execution_id"],
                row["task_id"],
                None,
                row["payload"],
            ),
        )
        change.unit.timers_due_at_ms = due_at_ms
        await self._engine.submit(change)
