"""What the engine holds in memory of an execution that has work in progress.

Executions that only wait are not here: a wait is a row (DESIGN, "The engine" 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tercet.domain.status import (
    EXECUTION_ENDED,
    TASK_ENDED,
    ExecutionStatus,
    SubtaskStatus,
    TaskStatus,
)
from tercet.store.executions import WORKER


@dataclass(slots=True, kw_only=True)
class SubtaskState:
    """A subtask of a task that agent workers do, or a step recorded for such a task."""

    name: str
    status: SubtaskStatus
    attempt: int = 0
    failures: int = 0
    agent_id: str | None = None
    """Who has it, or had it last."""
    due_at_ms: int = 0
    """Not offered before."""
    waits_for: str | None = None
    """The step whose result ends the wait, while BLOCKED on a person."""
    result: str | None = None
    error_type: str | None = None
    error_message: str | None = None
    started_at_ms: int | None = None
    completed_at_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class TaskState:
    """An open task: queued, running, blocked, or in error and waiting for a person."""

    id: str
    handler: str
    executor: str
    status: TaskStatus
    event_seq: int
    hops: int
    priority: int
    max_attempts: int
    due_at_ms: int
    created_at_ms: int
    input: str | None = None
    attempt: int = 0
    failures: int = 0
    lease_token: str | None = None
    status_message: str | None = None
    started_at_ms: int | None = None
    error_type: str | None = None
    error_message: str | None = None
    event: dict[str, Any] | None = None
    """The event that the handler gets, while it is at hand; else it is read again from the log."""
    has_steps: bool = False
    """Whether recorded steps may exist, so that a new attempt has to read them."""
    waits_for_person: bool = True
    """Of a blocked task; taken to be so when it was read again from its row, which does not say."""
    subtasks: dict[str, SubtaskState] = field(default_factory=dict)
    """Of a worker's task only: what has begun, by name."""

    @property
    def is_work(self) -> bool:
        return self.executor == WORKER


@dataclass(slots=True, kw_only=True)
class WaitState:
    """An open wait of a task for an event."""

    id: str
    task_id: str
    step: str
    event_name: str
    condition: str | None


@dataclass(slots=True, kw_only=True)
class FanInState:
    """What a fan-in has received for one correlation key."""

    handler: str
    key: str
    status: str = "waiting"
    """waiting, started or partial."""
    received: dict[str, list[int]] = field(default_factory=dict)
    """Event name → sequence numbers in the execution's log."""
    needs: int | None = None
    """How many of each awaited event are needed; known once the primary event came."""
    created_at_ms: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class ExecutionState:
    """One execution with its open tasks. Changed only on the event loop, by `engine.changes`."""

    id: str
    owner_id: str
    kind: str
    name: str
    manifest_id: str | None
    status: ExecutionStatus
    created_at_ms: int
    seq: int = 0
    status_message: str | None = None
    tasks: dict[str, TaskState] = field(default_factory=dict)
    counts: dict[TaskStatus, int] = field(default_factory=dict)
    tasks_total: int = 0
    tasks_completed: int = 0
    waits: list[WaitState] = field(default_factory=list)
    fan_ins: dict[tuple[str, str], FanInState] = field(default_factory=dict)
    delayed_events: int = 0
    has_spent: bool = True
    """Whether the ledger may know the execution; false from its creation to its first reservation."""
    pause_requested: bool = False
    cancel_requested: bool = False
    started_at_ms: int | None = None
    completed_at_ms: int | None = None
    agent_id: str | None = None
    plan_id: str | None = None
    requested_by: str | None = None
    agents: frozenset[str] = frozenset()
    """The agent workers that may take the execution's work; `*` stands for all of the owner."""
    ended_at_ms: dict[str, int] | None = None
    """Of a plan only: when its ended tasks ended, by handler."""
    work_revision: int = 0
    """Counts what may change which work agent workers can take; heartbeats and progress do not."""
    lost: bool = False
    """A commit that this state rests on did not happen: nobody may build on it any more."""
    commits_ahead: int = 0
    """Changes in here that are submitted and not yet on disk: while there are any, nobody outside may rely on it."""
    pins: int = 0
    """Who holds the state across an await; it is evicted only at zero."""

    @property
    def ended(self) -> bool:
        return self.status in EXECUTION_ENDED

    def add(self, task: TaskState) -> None:
        """Take in an open task."""
        self.tasks[task.id] = task
        self.counts[task.status] = self.counts.get(task.status, 0) + 1

    def move(self, task: TaskState, status: TaskStatus) -> None:
        """Set the task's status; an ended task leaves, except for a dead letter."""
        self.counts[task.status] -= 1
        task.status = status
        if status in TASK_ENDED and status is not TaskStatus.ERROR:
            del self.tasks[task.id]
        else:
            self.counts[status] = self.counts.get(status, 0) + 1

    def count(self, status: TaskStatus) -> int:
        """Return how many open tasks have `status`."""
        return self.counts.get(status, 0)

    @property
    def has_active_tasks(self) -> bool:
        """Whether a task is queued or running."""
        counts = self.counts
        return bool(counts.get(TaskStatus.QUEUED) or counts.get(TaskStatus.RUNNING))

    @property
    def needs_person(self) -> bool:
        """Whether an open task waits for a person: for a decision, or as a dead letter."""
        return bool(self.counts.get(TaskStatus.ERROR)) or any(
            task.status is TaskStatus.BLOCKED and task.waits_for_person for task in self.tasks.values()
        )

    @property
    def open_fan_ins(self) -> int:
        return sum(1 for fan_in in self.fan_ins.values() if fan_in.status == "waiting")
