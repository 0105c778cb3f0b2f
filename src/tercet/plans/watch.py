"""Looks at plans' executions when time alone changes something: leases, retries, waits, timeouts.

What it waits for follows from the rows, so nothing is stored for it: after a restart it looks at every open execution.
"""

from __future__ import annotations

import asyncio
import heapq

import structlog

from tercet.domain.errors import NotFound, StaleClaim, StoreUnavailable
from tercet.domain.status import SubtaskStatus
from tercet.engine import subtasks as steps
from tercet.engine.changes import Change
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState, SubtaskState, TaskState
from tercet.humans.cancelling import Cancelling
from tercet.plans.definition import PlanDefinition
from tercet.plans.moves import AGENT_SILENT, TaskView, next_look_at_ms
from tercet.plans.progress import Progress
from tercet.plans.verdicts import Verdicts
from tercet.plans.work import Work, WorkRules
from tercet.plans.workers import Workers
from tercet.store.executions import open_plan_executions

_log = structlog.get_logger(__name__)
_LONGEST_NAP_SECONDS = 300.0
_HOUR_MS = 3_600_000


class Watch:
    """One a node. It sleeps until the earliest time at which something may change."""

    def __init__(
        self, engine: Engine, workers: Workers, work: Work, progress: Progress, verdicts: Verdicts,
        cancelling: Cancelling, rules: WorkRules,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._workers = workers
        self._work = work
        self._progress = progress
        self._verdicts = verdicts
        self._cancelling = cancelling
        self._rules = rules
        self._heap: list[tuple[int, str]] = []
        self._looks: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        engine.state_listeners.append(self.on_state)

    async def start(self) -> None:
        """Read the agent workers, look at every open execution, then at each when its time comes."""
        await self._workers.load()
        self._task = asyncio.create_task(self._run(), name="tercet-watch")

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def on_state(self, state: ExecutionState) -> None:
        """Plan the next look at an execution that has changed."""
        if state.plan_id is None:
            return
        if state.ended:
            self._looks.pop(state.id, None)
            return
        definition = self._engine.definition_at_hand(state)
        if isinstance(definition, PlanDefinition):
            self._plan(state.id, self._next_at_ms(state, definition))

    def _plan(self, execution_id: str, at_ms: int) -> None:
        known = self._looks.get(execution_id)
        if known is not None and known <= at_ms:
            return
        self._looks[execution_id] = at_ms
        heapq.heappush(self._heap, (at_ms, execution_id))
        if self._heap[0] == (at_ms, execution_id):
            self._wake.set()

    def _next_at_ms(self, state: ExecutionState, definition: PlanDefinition) -> int:
        now_ms = self._engine.clock.now_ms()
        times = [state.created_at_ms + int(self._rules.execution_timeout_seconds * 1000)]
        for task in state.tasks.values():
            view = self._progress.view_of(state, definition, task, now_ms)
            at_ms = next_look_at_ms(view)
            times += [at_ms] if at_ms is not None else []
            for subtask in view.subtasks:
                record = view.states.get(subtask.subtask_id)
                if record is not None and record.status is SubtaskStatus.RUNNING:
                    times.append(self._silent_at_ms(record))
                    times.append((record.started_at_ms or 0) + int(subtask.timeout_hours * _HOUR_MS))
        return max(min(times), now_ms + 1)

    def _silent_at_ms(self, record: SubtaskState) -> int:
        worker = self._workers.find(record.agent_id or "")
        seen_ms = worker.last_seen_ms if worker is not None else None
        return max(record.started_at_ms or 0, seen_ms or 0) + int(self._rules.lease_seconds * 1000)

    async def _run(self) -> None:
        for execution_id in await self._engine.reader.read(open_plan_executions):
            await self._look_safely(execution_id)
        while True:
            self._wake.clear()
            now_ms = self._engine.clock.now_ms()
            while self._heap and self._heap[0][0] <= now_ms:
                at_ms, execution_id = heapq.heappop(self._heap)
                if self._looks.get(execution_id) == at_ms:
                    del self._looks[execution_id]
                    await self._look_safely(execution_id)
            nap = _LONGEST_NAP_SECONDS
            if self._heap:
                nap = min(nap, max(0.001, (self._heap[0][0] - self._engine.clock.now_ms()) / 1000))
            try:
                # Not wait_for: in Python 3.11 it swallows a cancellation that meets the event.
                async with asyncio.timeout(nap):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _look_safely(self, execution_id: str) -> None:
        try:
            await self._look(execution_id)
        except NotFound:
            self._looks.pop(execution_id, None)
        except (StaleClaim, StoreUnavailable) as error:
            _log.warning("watch.postponed", execution_id=execution_id, reason=str(error))
            self._plan(execution_id, self._engine.clock.now_ms() + 1_000)
        except Exception:
            _log.exception("watch.look_failed", execution_id=execution_id)
            self._plan(execution_id, self._engine.clock.now_ms() + 60_000)

    async def _look(self, execution_id: str) -> None:
        engine = self._engine
        async with engine.hold(execution_id) as state:
            definition = await engine.definition_of(state)
            if state.ended or not isinstance(definition, PlanDefinition):
                return
            limit_seconds = self._rules.execution_timeout_seconds
            if engine.clock.now_ms() - state.created_at_ms >= limit_seconds * 1000:
                reason = f"timed out: not done after {limit_seconds / 3600:g} hours"
                await self._cancelling.fail_execution(execution_id, reason=reason)
                return
            change = engine.change(state)
            for task in list(state.tasks.values()):
                self._end_attempts(change, definition, task, self._progress.view(change, definition, task))
                change.moved.append(task)
            await engine.submit(change)
            self.on_state(state)

    def _end_attempts(
        self, change: Change, definition: PlanDefinition, task: TaskState, view: TaskView
    ) -> None:
        """Take work away from agents that are silent, or that took longer than the subtask may."""
        for subtask in view.subtasks:
            record = view.states.get(subtask.subtask_id)
            if record is None or record.status is not SubtaskStatus.RUNNING:
                continue
            if change.now_ms >= (record.started_at_ms or 0) + subtask.timeout_hours * _HOUR_MS:
                message = f"not done after {subtask.timeout_hours:g} hours"
                self._verdicts.fail_attempt(
                    change, definition, task, record, error_type="timeout", error_message=message
                )
            elif change.now_ms >= self._silent_at_ms(record):
                minutes = self._rules.lease_seconds / 60
                record.error_type = AGENT_SILENT
                record.error_message = f"no sign of {record.agent_id} for {minutes:g} minutes"
                steps.queue_subtask(change, task, record, reason=record.error_message)
