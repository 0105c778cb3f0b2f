"""One change of one execution: decides, extends the log, and writes the rows that follow from it.

A `Change` is built and submitted without an await in between, so a decision never rests on a state that
has moved on. Every method keeps three things in step: the state in memory, the event log, the rows.
Folding the log (`domain.fold`) gives the same rows; a test holds this for every run that it makes.
"""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import to_json
from tercet.domain.ids import IdMint
from tercet.domain.status import (
    EXECUTION_ENDED,
    TASK_ENDED,
    ExecutionStatus,
    SubtaskStatus,
    TaskStatus,
    check_execution_transition,
    check_task_transition,
)
from tercet.engine.blocking import why_blocked, why_failed
from tercet.engine.state import ExecutionState, SubtaskState, TaskState
from tercet.store import statements as sql
from tercet.store.unit import Unit

_QUEUED, _RUNNING, _BLOCKED, _ERROR = (
    TaskStatus.QUEUED,
    TaskStatus.RUNNING,
    TaskStatus.BLOCKED,
    TaskStatus.ERROR,
)


class Change:
    """Collects what happens to `state` at `now_ms` into `unit`."""

    __slots__ = ("_dirty", "mint", "moved", "now_ms", "queued", "state", "status_before", "unit")

    def __init__(self, state: ExecutionState, *, now_ms: int, mint: IdMint, unit: Unit | None = None) -> None:
        self.state = state
        self.status_before = state.status
        self.now_ms = now_ms
        self.mint = mint
        self.unit = unit or Unit()
        self.unit.streams.add(state.id)
        self.queued: list[TaskState] = []
        """Tasks that this change put into the queue, for the dispatcher."""
        self.moved: list[TaskState] = []
        """Tasks whose status this change touched; what follows from that is the definition's."""
        self._dirty = False

    def log(
        self,
        event_type: str,
        *,
        name: str | None = None,
        task_id: str | None = None,
        subtask_id: str | None = None,
        agent_id: str | None = None,
        status: str | None = None,
        message: str | None = None,
        output: str | None = None,
        error_type: str | None = None,
        error_message: str | None = None,
        human_review_required: bool | None = None,
        agent_at_ms: int | None = None,
    ) -> int:
        """Append one event; return its sequence number."""
        state = self.state
        state.seq += 1
        self.unit.add(
            sql.INSERT_EVENT,
            (
                state.id, state.seq, event_type, name, task_id, subtask_id, agent_id, status, message, output,
                error_type, error_message, human_review_required, self.now_ms, agent_at_ms,
            ),
        )  # fmt: skip
        return state.seq

    def create_execution(
        self, *, root_name: str, root_data: Any, source: str, retry_of: str | None = None
    ) -> int:
        """Insert the execution and its root event; return the event's sequence number."""
        state = self.state
        seq = self.log(
            "execution_created",
            name=root_name,
            agent_id=source,
            status=state.status.value,
            output=to_json(root_data),
        )
        self.unit.add(
            sql.INSERT_EXECUTION,
            (
                state.id, state.owner_id, state.kind, state.name, state.manifest_id, retry_of, state.status.value,
                None, state.tasks_total, 0, False, False, self.now_ms, None, None, self.now_ms, state.agent_id,
                state.plan_id, state.requested_by,
            ),
        )  # fmt: skip
        return seq

    def record_event(self, name: str, data: Any, *, source: str, task_id: str | None = None) -> int:
        """Append a domain event; return its sequence number. `source` says who emitted it."""
        return self.log("event_recorded", name=name, task_id=task_id, agent_id=source, output=to_json(data))

    def create_task(self, task: TaskState) -> None:
        """Add a queued task."""
        state = self.state
        state.add(task)
        self._enqueue(task)
        if state.plan_id is None:
            state.tasks_total += 1
        self._dirty = True
        self.log(
            "task_created",
            name=task.handler,
            task_id=task.id,
            status=_QUEUED.value,
            output=to_json(
                {
                    "executor": task.executor,
                    "event_seq": task.event_seq,
                    "hops": task.hops,
                    "priority": task.priority,
                    "max_attempts": task.max_attempts,
                    "due_at_ms": task.due_at_ms,
                }
            ),
        )
        self.unit.add(
            sql.INSERT_TASK,
            (
                task.id, state.id, task.handler, task.executor, _QUEUED.value, None, task.event_seq, task.input,
                task.hops, task.priority, 0, 0, task.max_attempts, task.due_at_ms, None, None, None, None,
                self.now_ms, None, None,
            ),
        )  # fmt: skip

    def _enqueue(self, task: TaskState) -> None:
        if task.is_work:
            self.moved.append(task)
        else:
            self.queued.append(task)

    def start_task(self, task: TaskState, lease_token: str) -> None:
        """Claim a queued task: a new attempt begins under `lease_token`."""
        check_task_transition(task.status, _RUNNING)
        self.state.move(task, _RUNNING)
        task.attempt += 1
        task.lease_token = lease_token
        task.status_message = None
        if task.started_at_ms is None:
            task.started_at_ms = self.now_ms
        self.log(
            "task_started", name=task.handler, task_id=task.id, status=_RUNNING.value, message=lease_token
        )
        if self.state.status is ExecutionStatus.QUEUED:
            self._set_status(ExecutionStatus.RUNNING, None, logged=False)
        self._write_task(task)

    def record_step(self, task: TaskState, name: str, result: str, *, started_at_ms: int) -> None:
        """Record a completed step with its JSON result."""
        task.has_steps = True
        if task.is_work:
            task.subtasks[name] = SubtaskState(name=name, status=SubtaskStatus.COMPLETE, result=result)
        self.log("subtask_complete", task_id=task.id, subtask_id=name, status="COMPLETE", output=result)
        self.unit.add(
            sql.UPSERT_SUBTASK,
            (task.id, name, self.state.id, "COMPLETE", task.attempt, result, started_at_ms, self.now_ms),
        )

    def begin_step(self, task: TaskState, name: str) -> None:
        """Record that a step waits or runs, for those who watch."""
        task.has_steps = True
        if task.is_work:
            task.subtasks[name] = SubtaskState(name=name, status=SubtaskStatus.RUNNING)
        self.log("subtask_started", task_id=task.id, subtask_id=name, status="RUNNING")
        self.unit.add(
            sql.UPSERT_SUBTASK,
            (task.id, name, self.state.id, "RUNNING", task.attempt, None, self.now_ms, None),
        )

    def block_task(self, task: TaskState, message: str, *, human: bool) -> None:
        """The task waits; `human` tells a person's wait from an event's or a timer's (approval rule P10)."""
        check_task_transition(task.status, _BLOCKED)
        self.state.move(task, _BLOCKED)
        task.waits_for_person = human
        task.lease_token = None
        task.status_message = message
        task.event = None
        self.log(
            "task_blocked", name=task.handler, task_id=task.id, status=_BLOCKED.value, message=message,
            human_review_required=human,
        )  # fmt: skip
        self._write_task(task)

    def queue_task(self, task: TaskState, *, due_at_ms: int, reason: str) -> None:
        """The task goes back into the queue: a retry, a wake-up or a hand-back."""
        check_task_transition(task.status, _QUEUED)
        self.state.move(task, _QUEUED)
        self._enqueue(task)
        task.lease_token = None
        task.due_at_ms = due_at_ms
        task.status_message = reason
        self.log(
            "task_queued", name=task.handler, task_id=task.id, status=_QUEUED.value, message=reason,
            output=to_json({"due_at_ms": due_at_ms, "failures": task.failures, "max_attempts": task.max_attempts}),
        )  # fmt: skip
        self._write_task(task)

    def complete_task(self, task: TaskState, result: str | None) -> None:
        """The task has its result; the caller records the events that it emits in the same change."""
        self._end_task(task, TaskStatus.COMPLETE, result=result)
        self.log("task_complete", name=task.handler, task_id=task.id, status="COMPLETE", output=result)

    def fail_task(self, task: TaskState, *, error_type: str, error_message: str) -> None:
        """The task is a dead letter until a person retries or skips it."""
        task.failures += 1
        task.error_type, task.error_message = error_type, error_message
        check_task_transition(task.status, _ERROR)
        self.state.move(task, _ERROR)
        task.lease_token = None
        task.event = None
        self.log(
            "task_error", name=task.handler, task_id=task.id, status=_ERROR.value, error_type=error_type,
            error_message=error_message, human_review_required=True,
        )  # fmt: skip
        self._write_task(task, completed_at_ms=self.now_ms)

    def retry_task(self, task: TaskState, *, error_type: str, error_message: str, due_at_ms: int) -> None:
        """An attempt failed and another one follows at `due_at_ms`."""
        task.failures += 1
        task.error_type, task.error_message = error_type, error_message
        check_task_transition(task.status, _QUEUED)
        self.state.move(task, _QUEUED)
        self._enqueue(task)
        task.lease_token = None
        task.due_at_ms = due_at_ms
        task.status_message = "retrying"
        self.log(
            "task_retrying", name=task.handler, task_id=task.id, status=_QUEUED.value, message="retrying",
            error_type=error_type, error_message=error_message, output=to_json({"due_at_ms": due_at_ms}),
        )  # fmt: skip
        self._write_task(task)

    def skip_task(self, task: TaskState, reason: str) -> None:
        """A person decided to go on without this task."""
        self._end_task(task, TaskStatus.SKIPPED, message=reason)
        self.log("task_skipped", name=task.handler, task_id=task.id, status="SKIPPED", message=reason)

    def cancel_task(self, task: TaskState, reason: str) -> None:
        """The task ends because its execution does."""
        self._end_task(task, TaskStatus.CANCELLED, message=reason)
        self.log("task_cancelled", name=task.handler, task_id=task.id, status="CANCELLED", message=reason)

    def set_status(self, wanted: ExecutionStatus, message: str | None = None) -> None:
        """Move the execution; a pair that the table refuses raises InvalidStateTransition."""
        self._set_status(wanted, message, logged=True)

    def settle(self) -> None:
        """Derive the execution's status from its tasks, and write its row if anything changed."""
        state = self.state
        if state.status is not ExecutionStatus.PAUSED and state.status not in EXECUTION_ENDED:
            self._derive_status()
        if self._dirty:
            self._write_execution()

    def _derive_status(self) -> None:
        state = self.state
        if state.has_active_tasks:
            if state.status is ExecutionStatus.BLOCKED:
                self.set_status(ExecutionStatus.RUNNING)
            return
        open_fan_ins = state.open_fan_ins
        if not state.tasks and not open_fan_ins and not state.delayed_events:
            self.set_status(ExecutionStatus.COMPLETED)
            return
        if state.kind in _ENDS_WITH_ITS_TASK and state.count(TaskStatus.ERROR):
            self.set_status(ExecutionStatus.FAILED, why_failed(state))
            return
        message = why_blocked(state, open_fan_ins)
        if state.status is not ExecutionStatus.BLOCKED or state.status_message != message:
            self.set_status(ExecutionStatus.BLOCKED, message)

    def _set_status(self, wanted: ExecutionStatus, message: str | None, *, logged: bool) -> None:
        state = self.state
        if wanted is not state.status and wanted in _THROUGH_RUNNING and state.status in _LEADS_TO_RUNNING:
            self._set_status(ExecutionStatus.RUNNING, None, logged=True)
        changed = check_execution_transition(state.status, wanted)
        if not changed and state.status_message == message:
            return
        state.status = wanted
        state.status_message = message
        state.work_revision += 1
        if wanted is ExecutionStatus.RUNNING and state.started_at_ms is None:
            state.started_at_ms = self.now_ms
        if wanted in EXECUTION_ENDED:
            state.completed_at_ms = self.now_ms
        self._dirty = True
        if logged:
            self.log("execution_status", status=wanted.value, message=message)

    def _end_task(
        self, task: TaskState, status: TaskStatus, *, result: str | None = None, message: str | None = None
    ) -> None:
        check_task_transition(task.status, status)
        assert status in TASK_ENDED
        self.state.move(task, status)
        task.status_message = message
        task.lease_token = None
        task.event = None
        self.state.tasks_completed += 1
        if self.state.ended_at_ms is not None:
            self.state.ended_at_ms[task.handler] = self.now_ms
        self.moved.append(task)
        self._dirty = True
        self._write_task(task, result=result, completed_at_ms=self.now_ms)

    def _write_task(
        self, task: TaskState, *, result: str | None = None, completed_at_ms: int | None = None
    ) -> None:
        self.unit.add(
            sql.UPDATE_TASK,
            (
                task.status.value, task.status_message, task.attempt, task.failures, task.due_at_ms, task.lease_token,
                result, task.error_type, task.error_message, task.started_at_ms, completed_at_ms, task.id,
            ),
        )  # fmt: skip

    def _write_execution(self) -> None:
        state = self.state
        self._dirty = False
        self.unit.add(
            sql.UPDATE_EXECUTION,
            (
                state.status.value, state.status_message, state.tasks_total, state.tasks_completed,
                state.pause_requested, state.cancel_requested, state.started_at_ms, state.completed_at_ms,
                self.now_ms, state.id,
            ),
        )  # fmt: skip

    def touch(self) -> None:
        """Make sure that the execution's row is written by `settle`."""
        self._dirty = True


_ENDS_WITH_ITS_TASK = frozenset({"agent", "chat", "loop"})
"""Kinds whose executions have one task: when it fails for good there is nothing to go on with."""
_THROUGH_RUNNING = frozenset({ExecutionStatus.COMPLETED, ExecutionStatus.FAILED, ExecutionStatus.BLOCKED})
_LEADS_TO_RUNNING = frozenset({ExecutionStatus.QUEUED, ExecutionStatus.BLOCKED})
