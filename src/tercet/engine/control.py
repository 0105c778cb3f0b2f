"""What people do to executions and tasks: pause, resume, cancel, give up, retry, skip."""

from __future__ import annotations

from tercet.domain.errors import InvalidStateTransition, NotFound
from tercet.domain.status import ExecutionStatus, TaskStatus, check_execution_transition
from tercet.engine.changes import Change
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState, TaskState
from tercet.store import statements as sql
from tercet.store.unit import Unit


class Control:
    """Every method raises NotFound or InvalidStateTransition, and returns after the commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def pause(self, execution_id: str, *, by: str) -> None:
        """Stop before the next step; what a running step does is not lost."""
        async with self._engine.hold(execution_id) as state:
            if state.status is ExecutionStatus.PAUSED:
                return
            change = self._engine.change(state)
            state.pause_requested = True
            if state.status is ExecutionStatus.QUEUED:
                change.set_status(ExecutionStatus.RUNNING)
            change.set_status(ExecutionStatus.PAUSED, f"paused by {by}")
            await self._engine.submit(change)

    async def resume(self, execution_id: str, *, by: str) -> None:
        """Go on after a pause."""
        async with self._engine.hold(execution_id) as state:
            if state.status is ExecutionStatus.RUNNING:
                return
            if state.status is not ExecutionStatus.PAUSED:
                check_execution_transition(state.status, ExecutionStatus.RUNNING)
                raise InvalidStateTransition(
                    f"the execution is {state.status}, not PAUSED",
                    hint="it goes on by itself when what it waits for comes",
                )
            change = self._engine.change(state)
            state.pause_requested = False
            change.set_status(ExecutionStatus.RUNNING, f"resumed by {by}")
            change.queued.extend(
                task for task in state.tasks.values() if task.status is TaskStatus.QUEUED and not task.is_work
            )
            change.moved.extend(task for task in state.tasks.values() if task.is_work)
            await self._engine.submit(change)

    async def cancel(
        self, execution_id: str, *, by: str, reason: str = "", extra: Unit | None = None
    ) -> None:
        """End the execution: running attempts stop, waits, timers and open approvals go."""
        async with self._engine.hold(execution_id) as state:
            await self._end(
                state,
                ExecutionStatus.CANCELLED,
                f"cancelled by {by}" + (f": {reason}" if reason else ""),
                extra,
            )

    async def fail(self, execution_id: str, *, reason: str, extra: Unit | None = None) -> None:
        """End an execution as failed: somebody gives it up, or it took longer than it may."""
        async with self._engine.hold(execution_id) as state:
            await self._end(state, ExecutionStatus.FAILED, reason, extra)

    async def retry_task(self, execution_id: str, task_id: str, *, by: str) -> None:
        """Queue a dead letter again, with a fresh count of failures."""
        async with self._engine.hold(execution_id) as state:
            task = self._dead_letter(state, task_id)
            change = self._engine.change(state)
            task.failures = 0
            task.error_type = task.error_message = None
            change.queue_task(task, due_at_ms=change.now_ms, reason=f"retried by {by}")
            await self._engine.submit(change)

    async def retry_dead_letters(self, execution_id: str, *, by: str) -> int:
        """Queue all dead letters of an execution; return how many there were."""
        async with self._engine.hold(execution_id) as state:
            dead = [task for task in state.tasks.values() if task.status is TaskStatus.ERROR]
            if not dead:
                return 0
            change = self._engine.change(state)
            for task in dead:
                task.failures = 0
                task.error_type = task.error_message = None
                change.queue_task(task, due_at_ms=change.now_ms, reason=f"retried by {by}")
            await self._engine.submit(change)
            return len(dead)

    async def skip_task(self, execution_id: str, task_id: str, *, by: str) -> None:
        """Go on without a dead letter, or without a task that still waits in the queue."""
        async with self._engine.hold(execution_id) as state:
            task = state.tasks.get(task_id)
            if task is None:
                raise NotFound(f"the execution has no open task {task_id!r}")
            if state.ended:
                raise InvalidStateTransition(f"the execution has ended ({state.status})")
            change = self._engine.change(state)
            change.skip_task(task, f"skipped by {by}")
            await self._engine.submit(change)

    def _dead_letter(self, state: ExecutionState, task_id: str) -> TaskState:
        task = state.tasks.get(task_id)
        if task is None:
            raise NotFound(f"the execution has no open task {task_id!r}")
        if state.ended:
            raise InvalidStateTransition(
                f"the execution has ended ({state.status})",
                hint="retry the execution: it starts anew, linked to this one",
            )
        if task.status is not TaskStatus.ERROR:
            raise InvalidStateTransition(
                f"the task is {task.status}, not ERROR", hint="only a failed task can be retried"
            )
        return task

    async def _end(
        self, state: ExecutionState, status: ExecutionStatus, message: str, extra: Unit | None
    ) -> None:
        if state.status is status:
            return
        change = self._engine.change(state, extra)
        if status is ExecutionStatus.FAILED and state.status is ExecutionStatus.PAUSED:
            change.set_status(ExecutionStatus.RUNNING)
        change.set_status(status, message)
        if status is ExecutionStatus.CANCELLED:
            state.cancel_requested = True
        self._end_tasks(change, message)
        await self._engine.submit(change)

    def _end_tasks(self, change: Change, message: str) -> None:
        state = change.state
        for task in list(state.tasks.values()):
            self._engine.stop_attempt(task.id)
            change.cancel_task(task, message)
        state.waits.clear()
        state.delayed_events = 0
        change.unit.add(sql.DELETE_EXECUTION_WAITS, (state.id,))
        change.unit.add(sql.DELETE_EXECUTION_TIMERS, (state.id,))
