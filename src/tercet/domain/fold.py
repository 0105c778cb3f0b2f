"""Folding an execution's events gives its state rows (DESIGN, "The engine" 8).

This is the second, independent reading of the log: the engine writes rows and events side by side, and a
test folds the events of every run that it makes and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.status import (
    TASK_ENDED,
    ExecutionStatus,
    TaskStatus,
    check_execution_transition,
    check_task_transition,
)

_TASK_EVENTS = {
    "task_started": TaskStatus.RUNNING,
    "task_blocked": TaskStatus.BLOCKED,
    "task_queued": TaskStatus.QUEUED,
    "task_retrying": TaskStatus.QUEUED,
    "task_complete": TaskStatus.COMPLETE,
    "task_error": TaskStatus.ERROR,
    "task_skipped": TaskStatus.SKIPPED,
    "task_cancelled": TaskStatus.CANCELLED,
}
_STEP_DONE = frozenset({"subtask_complete", "task_complete"})
"""An agent worker may name either; an event with a subtask is about the subtask."""
_DONE = frozenset({"COMPLETE", "success"})
_STEP_AGAIN = frozenset({"subtask_queued"})
_STEP_FIRST = frozenset({"subtask_started", "subtask_blocked", "subtask_skipped"})


@dataclass(kw_only=True)
class FoldedTask:
    """What the log says of a task."""

    handler: str
    status: TaskStatus
    attempt: int = 0
    failures: int = 0
    result_data: str | None = None
    steps: dict[str, str | None] = field(default_factory=dict)
    """Step name → JSON result; None while it waits."""


@dataclass(kw_only=True)
class FoldedExecution:
    """What the log says of an execution."""

    status: ExecutionStatus
    tasks: dict[str, FoldedTask] = field(default_factory=dict)
    last_seq: int = 0

    @property
    def tasks_completed(self) -> int:
        """Tasks that need nobody any more."""
        return sum(
            1 for t in self.tasks.values() if t.status in TASK_ENDED and t.status is not TaskStatus.ERROR
        )


def fold(events: Iterable[Mapping[str, Any]]) -> FoldedExecution:
    """Fold event rows in order of `seq`. Raises InvalidStateTransition for a log that breaks the tables,
    ValueError for one with a gap."""
    state: FoldedExecution | None = None
    for event in events:
        if state is None:
            if event["event_type"] != "execution_created" or event["seq"] != 1:
                raise ValueError("a log begins with execution_created, number 1")
            state = FoldedExecution(status=ExecutionStatus(event["status"]), last_seq=1)
            continue
        if event["seq"] != state.last_seq + 1:
            raise ValueError(f"event {event['seq']} follows {state.last_seq}: the log has a gap")
        state.last_seq = event["seq"]
        _apply(state, event)
    if state is None:
        raise ValueError("the log is empty")
    return state


def _apply(state: FoldedExecution, event: Mapping[str, Any]) -> None:
    kind = event["event_type"]
    if kind == "execution_status":
        _move_execution(state, ExecutionStatus(event["status"]))
    elif kind == "task_created":
        state.tasks[event["task_id"]] = FoldedTask(handler=event["name"], status=TaskStatus.QUEUED)
    elif event["task_id"] is None:
        return  # an agent worker's late word about a task that has ended
    elif event["subtask_id"] is not None:
        _apply_step(state.tasks[event["task_id"]].steps, event)
    elif kind in _TASK_EVENTS:
        _apply_task(state, state.tasks[event["task_id"]], event)


def _apply_step(steps: dict[str, str | None], event: Mapping[str, Any]) -> None:
    name = event["subtask_id"]
    if event["event_type"] in _STEP_DONE and event["status"] in _DONE:
        steps[name] = event["output_data"]
    elif event["event_type"] in _STEP_AGAIN:
        steps[name] = None
    elif event["event_type"] in _STEP_FIRST:
        steps.setdefault(name, None)


def _apply_task(state: FoldedExecution, task: FoldedTask, event: Mapping[str, Any]) -> None:
    wanted = _TASK_EVENTS[event["event_type"]]
    check_task_transition(task.status, wanted)
    task.status = wanted
    if event["event_type"] == "task_started":
        task.attempt += 1
        if state.status is ExecutionStatus.QUEUED:
            _move_execution(state, ExecutionStatus.RUNNING)
    elif event["event_type"] in ("task_retrying", "task_error"):
        task.failures += 1
    elif event["event_type"] == "task_queued":
        task.failures = from_json(event["output_data"])["failures"]
    elif event["event_type"] == "task_complete":
        task.result_data = event["output_data"]


def _move_execution(state: FoldedExecution, wanted: ExecutionStatus) -> None:
    check_execution_transition(state.status, wanted)
    state.status = wanted
