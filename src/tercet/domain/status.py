"""Statuses and the transitions between them: the only table of its kind (spec 5 §5, DESIGN "Conflicts settled").

The same state is no transition: asking for the state one is in changes nothing. Everything that the
tables do not list is refused with `InvalidStateTransition`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tercet.domain.errors import InvalidStateTransition


class ExecutionStatus(StrEnum):
    """Where an execution is (spec 5 §1 and §5)."""

    CREATED = "CREATED"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    BLOCKED = "BLOCKED"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class TaskStatus(StrEnum):
    """Where a task is. BLOCKED waits for a person, an event or a time; ERROR is the dead letter."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    BLOCKED = "BLOCKED"
    COMPLETE = "COMPLETE"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"
    CANCELLED = "CANCELLED"


class SubtaskStatus(StrEnum):
    """Where a named step is. BLOCKED waits for a person or for something outside."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    BLOCKED = "BLOCKED"
    COMPLETE = "COMPLETE"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"


_E = ExecutionStatus
EXECUTION_TRANSITIONS: Mapping[ExecutionStatus, frozenset[ExecutionStatus]] = {
    _E.CREATED: frozenset({_E.QUEUED, _E.CANCELLED}),
    _E.QUEUED: frozenset({_E.RUNNING, _E.CANCELLED}),
    _E.RUNNING: frozenset({_E.BLOCKED, _E.PAUSED, _E.COMPLETED, _E.FAILED, _E.CANCELLED}),
    _E.BLOCKED: frozenset({_E.RUNNING, _E.PAUSED, _E.CANCELLED}),
    _E.PAUSED: frozenset({_E.RUNNING, _E.CANCELLED}),
    _E.COMPLETED: frozenset(),
    _E.FAILED: frozenset({_E.CANCELLED}),
    _E.CANCELLED: frozenset(),
}
"""Spec 5 §5, word for word."""

_T = TaskStatus
TASK_TRANSITIONS: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    _T.QUEUED: frozenset({_T.RUNNING, _T.SKIPPED, _T.CANCELLED}),
    _T.RUNNING: frozenset({_T.QUEUED, _T.BLOCKED, _T.COMPLETE, _T.ERROR, _T.CANCELLED}),
    _T.BLOCKED: frozenset({_T.QUEUED, _T.RUNNING, _T.SKIPPED, _T.CANCELLED}),
    _T.COMPLETE: frozenset(),
    _T.ERROR: frozenset({_T.QUEUED, _T.SKIPPED, _T.CANCELLED}),
    _T.SKIPPED: frozenset(),
    _T.CANCELLED: frozenset(),
}
"""RUNNING → QUEUED is a retry or a hand-back; ERROR → QUEUED is a person's retry of a dead letter."""

EXECUTION_ENDED = frozenset({_E.COMPLETED, _E.FAILED, _E.CANCELLED})
TASK_ENDED = frozenset({_T.COMPLETE, _T.ERROR, _T.SKIPPED, _T.CANCELLED})


def check_execution_transition(current: ExecutionStatus, wanted: ExecutionStatus) -> bool:
    """Return whether the step changes anything. Raises InvalidStateTransition for a pair that is not allowed."""
    if wanted == current:
        return False
    if wanted not in EXECUTION_TRANSITIONS[current]:
        raise InvalidStateTransition(
            f"An execution cannot go {current} → {wanted}", hint=_allowed(EXECUTION_TRANSITIONS[current])
        )
    return True


def check_task_transition(current: TaskStatus, wanted: TaskStatus) -> bool:
    """Return whether the step changes anything. Raises InvalidStateTransition for a pair that is not allowed."""
    if wanted == current:
        return False
    if wanted not in TASK_TRANSITIONS[current]:
        raise InvalidStateTransition(
            f"A task cannot go {current} → {wanted}", hint=_allowed(TASK_TRANSITIONS[current])
        )
    return True


def _allowed(targets: frozenset[ExecutionStatus] | frozenset[TaskStatus]) -> str:
    return f"allowed from here: {', '.join(sorted(targets))}" if targets else "this status is final"
