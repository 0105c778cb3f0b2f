"""The tables of transitions are spec 5 §5 with DESIGN's readings."""

from __future__ import annotations

import itertools

import pytest

from tercet.domain.errors import InvalidStateTransition
from tercet.domain.status import (
    EXECUTION_TRANSITIONS,
    TASK_TRANSITIONS,
    ExecutionStatus,
    TaskStatus,
    check_execution_transition,
    check_task_transition,
)

SPEC = {
    "CREATED": ["QUEUED", "CANCELLED"],
    "QUEUED": ["RUNNING", "CANCELLED"],
    "RUNNING": ["BLOCKED", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"],
    "BLOCKED": ["RUNNING", "PAUSED", "CANCELLED"],
    "PAUSED": ["RUNNING", "CANCELLED"],
    "COMPLETED": [],
    "FAILED": ["CANCELLED"],
    "CANCELLED": [],
}


def test_execution_transitions_are_those_of_the_spec():
    table = {status.value: sorted(EXECUTION_TRANSITIONS[status]) for status in ExecutionStatus}

    assert table == {status: sorted(targets) for status, targets in SPEC.items()}


@pytest.mark.parametrize(("current", "wanted"), list(itertools.product(ExecutionStatus, ExecutionStatus)))
def test_every_pair_of_execution_statuses_is_allowed_or_refused(current, wanted):
    if current == wanted:
        assert check_execution_transition(current, wanted) is False
    elif wanted.value in SPEC[current.value]:
        assert check_execution_transition(current, wanted) is True
    else:
        with pytest.raises(InvalidStateTransition, match=f"{current} → {wanted}"):
            check_execution_transition(current, wanted)


@pytest.mark.parametrize(("current", "wanted"), list(itertools.product(TaskStatus, TaskStatus)))
def test_every_pair_of_task_statuses_is_allowed_or_refused(current, wanted):
    if current == wanted:
        assert check_task_transition(current, wanted) is False
    elif wanted in TASK_TRANSITIONS[current]:
        assert check_task_transition(current, wanted) is True
    else:
        with pytest.raises(InvalidStateTransition):
            check_task_transition(current, wanted)


@pytest.mark.parametrize("status", [TaskStatus.COMPLETE, TaskStatus.SKIPPED, TaskStatus.CANCELLED])
def test_an_ended_task_stays_ended(status):
    assert TASK_TRANSITIONS[status] == frozenset()
