"""The engine: holds the states of active executions, submits changes, claims and runs tasks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import structlog

from tercet.domain.clock import Clock
from tercet.domain.errors import NotFound, OperatorError, StaleClaim, TercetError
from tercet.domain.ids import IdMint
from tercet.domain.status import ExecutionStatus, TaskStatus
from tercet.engine.changes import Change
from tercet.engine.definition import Definition
from tercet.engine.dispatch import Dispatcher
from tercet.engine.loading import to_state
from tercet.engine.ports import ApprovalRequests, ExecutorCalls
from tercet.engine.recovery import Recovery
from tercet.engine.runner import run_attempt
from tercet.engine.state import ExecutionState, TaskState
from tercet.engine.states import States
from tercet.engine.timers import TimerLoop
from tercet.store.executions import load_execution, load_steps
from tercet.store.reader import Reader
from tercet.store.unit import Journal, Unit

_log = structlog.get_logger(__name__)
_MAY_RUN = frozenset({ExecutionStatus.QUEUED, ExecutionStatus.RUNNING, ExecutionStatus.BLOCKED})


class Engine:
    """One a process. `slots` is how many attempts run at once."""

    calls: ExecutorCalls
    request_approval: ApprovalRequests

    def __init__(
        self,
        *,
        reader: Reader,
        definitions: Callable[[str], Awaitable[Definition]],
        clock: Clock,
        mint: IdMint,
        random_number: Callable[[], float] = random.random,
        slots: int = 128,
    ) -> None:
        self.reader = reader
        self.clock = clock
        self.mint = mint
        self.random = random_number
        self.journal: Journal
        self.timers = TimerLoop(self)
        self.riders: list[Callable[[Unit, Sequence[Change]], None]] = []
        """Add to a unit what has to commit with its changes; called once the changes are settled."""
        self.commit_listeners: list[Callable[[Unit], None]] = []
        """Hear of every unit on disk."""
        self._load_definition = definitions
        self._definitions: dict[str, Definition] = {}
        self.states = States(self._load_state)
        self._slots = slots
        self._running: dict[str, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self.dispatcher = Dispatcher(now_ms=clock.now_ms, take=self._take)
        self.recovery = Recovery(self)
        self.stopping = False
        self.state_listeners: list[Callable[[ExecutionState], None]] = []
        """Called after each commit with the state as it is then, which may be ahead of the disk (`commits_ahead`)."""
        self._token_stem = f"{os.getpid():x}-{random.getrandbits(32):08x}"
        self._claims = 0
        self._idle_waiters: list[asyncio.Future[None]] = []

    async def start(self, journal: Journal) -> None:
        """Start the journal, hand back what a crash left running, offer what is queued."""
        self.journal = journal
        await journal.start()
        if self._slots == 0:
            return
        await self.recovery.start()
        await self.timers.start()

    def hold_back(self) -> None:
        """Run no tasks: the node records and reads only. Call it before `start`."""
        self._slots = 0

    async def stop(self) -> None:
        """Hand running tasks back and stop. Committed work is never lost, whether this runs or not."""
        self.stopping = True
        await self.timers.stop()
        self.recovery.stop()
        self.dispatcher.clear()
        for task in list(self._background):
            task.cancel()
        await self.journal.barrier()
        running = [attempt for attempt in self._running.values() if attempt is not _RESERVED]
        for attempt in running:
            attempt.cancel("stopping")
        await asyncio.gather(*running, *self._background, return_exceptions=True)
        self._running.clear()
        for state in self.states:
            self.recovery.hand_back_running(state)
        await self.journal.stop()

    # --- states and changes -------------------------------------------------------------------

    def hold(self, execution_id: str) -> AbstractAsyncContextManager[ExecutionState]:
        """Keep an execution's state in memory for the block. Raises NotFound."""
        return self.states.hold(execution_id)

    def change(self, state: ExecutionState, unit: Unit | None = None) -> Change:
        """Begin a change; submit it without an await in between."""
        if state.lost:
            raise StaleClaim(f"the state of {state.id} was lost with a refused commit")
        return Change(state, now_ms=self.clock.now_ms(), mint=self.mint, unit=unit)

    def submit(self, *changes: Change) -> asyncio.Future[None]:
        """Settle the changes, claim what can run at once, and commit all of it as one unit.

        When what follows from a change fails, nothing of it is kept: the states are read again from their rows.
        """
        unit = changes[0].unit
        try:
            for change in changes:
                if change.unit is not unit:
                    raise AssertionError("changes that are submitted together share one unit")
                self._settle(change)
            for rider in self.riders:
                rider(unit, changes)
        except Exception as error:
            self.recovery.on_lost([unit], error)
            raise
        return self.journal.submit(unit)

    def _settle(self, change: Change) -> None:
        state = change.state
        definition = self.definition_at_hand(state)
        if definition is not None:
            definition.follow_up(change)
        started = self._claim_queued(change) if change.queued else []
        change.settle()
        if change.moved:
            state.work_revision += 1
        state.pins += 1
        state.commits_ahead += 1
        change.unit.after_commit.append(partial(self._on_committed, state, change, started))

    async def definition_of(self, state: ExecutionState) -> Definition:
        """Return the pinned definition of an execution."""
        return await self.definition_by_id(state.manifest_id or "")

    async def definition_by_id(self, key: str) -> Definition:
        """Return the definition of a revision; it is loaded once."""
        definition = self._definitions.get(key)
        if definition is None:
            definition = self._definitions[key] = await self._load_definition(key)
        return definition

    def definition_at_hand(self, state: ExecutionState) -> Definition | None:
        """Return the pinned definition of an execution in memory."""
        return self._definitions.get(state.manifest_id or "")

    def replace_definition(self, key: str, definition: Definition) -> None:
        """Use another definition from now on: a plan's subtasks were edited."""
        self._definitions[key] = definition

    async def load_steps(self, task_id: str) -> dict[str, str]:
        """Return a task's recorded step results, JSON by name."""
        return await self.reader.read(load_steps, task_id)

    def spawn(self, work: Awaitable[Any]) -> None:
        """Run something beside; its failure is logged."""

        async def guarded() -> None:
            try:
                await work
            except asyncio.CancelledError:
                raise
            except OperatorError as error:
                _log.error("engine.background_failed", error=str(error))
            except Exception:
                _log.exception("engine.background_failed")

        task = asyncio.ensure_future(guarded())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # --- idleness -----------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing is ready to run. Waits and future timers do not count."""
        return (
            not self._running
            and self.dispatcher.is_dry
            and not self._background
            and not self.dispatcher.overflowed
        )

    @property
    def running_attempts(self) -> int:
        """How many attempts hold a slot."""
        return len(self._running)

    async def wait_idle(self) -> None:
        """Return at the next moment at which the engine is idle."""
        while not self.is_idle:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._idle_waiters.append(future)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(future, timeout=1.0)

    @property
    def next_due_at_ms(self) -> int | None:
        """When the next queued task becomes due."""
        return self.dispatcher.next_due_at_ms

    # --- claiming and running -----------------------------------------------------------------

    def _claim_queued(self, change: Change) -> list[TaskState]:
        """Claim due tasks in the change that queues them: one commit instead of two."""
        started: list[TaskState] = []
        if (
            self.stopping
            or change.state.status not in _MAY_RUN
            or (change.state.manifest_id or "") not in self._definitions
        ):
            return started
        for task in change.queued:
            if len(self._running) + len(started) >= self._slots or not self.dispatcher.is_dry:
                break
            if task.status is TaskStatus.QUEUED and task.due_at_ms <= change.now_ms:
                change.start_task(task, self._next_token())
                started.append(task)
                self._running[task.id] = _RESERVED
        return started

    def _on_committed(self, state: ExecutionState, change: Change, started: list[TaskState]) -> None:
        state.pins -= 1
        state.commits_ahead -= 1
        unit = change.unit
        if unit.timers_due_at_ms is not None:
            self.timers.wake_by(unit.timers_due_at_ms)
            unit.timers_due_at_ms = None
        for task in started:
            self._run(state, task)
        for task in change.queued:
            if task.status is TaskStatus.QUEUED:
                self.dispatcher.offer(
                    execution_id=state.id, task_id=task.id, priority=task.priority, due_at_ms=task.due_at_ms
                )
        if change.queued:
            self.pump()
        for listener in self.state_listeners:
            listener(state)
        self.states.evict_if_idle(state)
        self._wake_idle_waiters()

    def _take(self, execution_id: str, task_id: str) -> bool:
        if self.stopping or len(self._running) >= self._slots:
            return False
        if task_id in self._running:
            return True
        state = self.states.get(execution_id)
        self._running[task_id] = _RESERVED
        if state is not None and (state.manifest_id or "") in self._definitions:
            self._claim(state, task_id)
        else:
            self.spawn(self._claim_cold(execution_id, task_id))
        return True

    async def _claim_cold(self, execution_id: str, task_id: str) -> None:
        try:
            async with self.hold(execution_id) as state:
                await self.definition_of(state)
                self._claim(state, task_id)
        except TercetError as error:
            _log.error("task.claim_failed", task_id=task_id, error=str(error))
            self._release(task_id)

    def _claim(self, state: ExecutionState, task_id: str) -> None:
        task = state.tasks.get(task_id)
        now_ms = self.clock.now_ms()
        if (
            task is None or task.status is not TaskStatus.QUEUED or state.status not in _MAY_RUN or task.due_at_ms > now_ms
            or state.lost or self.stopping
        ):  # fmt: skip
            self._release(task_id)
            return
        change = self.change(state)
        change.start_task(task, self._next_token())
        future = self.submit(change)
        state.pins += 1

        def claimed(done: asyncio.Future[None]) -> None:
            state.pins -= 1
            if done.cancelled() or done.exception() is not None:
                self._release(task_id)
            else:
                self._run(state, task)

        future.add_done_callback(claimed)

    def _run(self, state: ExecutionState, task: TaskState) -> None:
        if task.status is not TaskStatus.RUNNING or state.lost or self.stopping:
            self._release(task.id)
            return
        definition = self._definitions[state.manifest_id or ""]
        state.pins += 1
        attempt = asyncio.get_running_loop().create_task(run_attempt(self, state, task, definition))
        self._running[task.id] = attempt

        def ended(done: asyncio.Task[None]) -> None:
            state.pins -= 1
            self.states.evict_if_idle(state)
            if self._running.get(task.id) is done:
                self._release(task.id)
                again = state.tasks.get(task.id)
                if again is not None and again.status is TaskStatus.QUEUED and not state.lost:
                    # Woken or retried while its last attempt was still leaving its slot.
                    self.dispatcher.offer(
                        execution_id=state.id,
                        task_id=again.id,
                        priority=again.priority,
                        due_at_ms=again.due_at_ms,
                    )
                    self.pump()
            if not done.cancelled() and (error := done.exception()) is not None:
                _log.error("task.attempt_crashed", task_id=task.id, exc_info=error)

        attempt.add_done_callback(ended)

    def runs(self, task_id: str) -> bool:
        """Return whether an attempt of the task has a slot here."""
        return task_id in self._running

    def abandon(self, task_id: str) -> None:
        """Give up a claim whose commit was lost."""
        if self._running.get(task_id) is _RESERVED:
            del self._running[task_id]
        self.stop_attempt(task_id)

    async def _load_state(self, execution_id: str) -> ExecutionState:
        await self.journal.barrier()
        loaded = await self.reader.read(load_execution, execution_id)
        if loaded is None:
            raise NotFound(f"there is no execution {execution_id!r}")
        state = to_state(loaded)
        await self.definition_of(state)
        return state

    def stop_attempt(self, task_id: str) -> None:
        """Cancel the attempt that runs for a task, if any."""
        attempt = self._running.get(task_id)
        if attempt is not None and attempt is not _RESERVED:
            attempt.cancel("the task was cancelled")

    def _release(self, task_id: str) -> None:
        self._running.pop(task_id, None)
        self.pump()
        self._wake_idle_waiters()

    def pump(self) -> None:
        """Hand out ready tasks to free slots; look into the rows when hints were dropped."""
        self.dispatcher.pump()
        if self.dispatcher.overflowed and self.dispatcher.is_dry:
            self.recovery.sweep_soon()

    def _next_token(self) -> str:
        self._claims += 1
        return f"{self._token_stem}-{self._claims}"

    def _wake_idle_waiters(self) -> None:
        if self._idle_waiters and self.is_idle:
            waiters, self._idle_waiters = self._idle_waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)

    def on_commit(self, units: list[Unit]) -> None:
        """The journal put these units on disk."""
        for listener in self.commit_listeners:
            for unit in units:
                listener(unit)


_RESERVED: Any = object()
"""Marks a slot whose attempt has not begun."""
