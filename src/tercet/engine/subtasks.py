"""What happens to subtasks that agent workers do: state in memory, event log and rows in step, like `Change`."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.domain.codec import to_json
from tercet.domain.status import SubtaskStatus, TaskStatus
from tercet.engine.changes import Change
from tercet.engine.state import SubtaskState, TaskState
from tercet.store import statements as sql


@dataclass(frozen=True, kw_only=True, slots=True)
class Reported:
    """What the log keeps of an agent worker's own words; by default the server speaks."""

    event_type: str | None = None
    agent_id: str | None = None
    status: str | None = None
    message: str | None = None
    agent_at_ms: int | None = None
    output: str | None = None


OURS = Reported()


def start_subtask(
    change: Change, task: TaskState, subtask: SubtaskState, *, agent_id: str, token: str
) -> None:
    """An agent worker takes the subtask: a new attempt begins."""
    if task.status is not TaskStatus.RUNNING:
        change.start_task(task, token)
    subtask.attempt += 1
    subtask.agent_id = agent_id
    subtask.started_at_ms = change.now_ms
    subtask.completed_at_ms = None
    _move(change, task, subtask, SubtaskStatus.RUNNING, "subtask_started", Reported(agent_id=agent_id))


def resume_subtask(change: Change, task: TaskState, subtask: SubtaskState, said: Reported) -> None:
    """The agent worker that waited for something outside goes on."""
    if task.status is not TaskStatus.RUNNING:
        change.start_task(task, "none")
    _move(change, task, subtask, SubtaskStatus.RUNNING, "subtask_in_progress", said)


def complete_subtask(
    change: Change, task: TaskState, subtask: SubtaskState, result: str | None, said: Reported = OURS
) -> int:
    """The subtask has its result; one that says nothing is an empty object."""
    result = result or "{}"
    subtask.result = result
    subtask.error_type = subtask.error_message = None
    return _move(change, task, subtask, SubtaskStatus.COMPLETE, "subtask_complete", said, output=result)


def block_subtask(
    change: Change,
    task: TaskState,
    subtask: SubtaskState,
    *,
    reason: str,
    waits_for: str | None,
    due_at_ms: int = 0,
    error_type: str | None = None,
    said: Reported = OURS,
) -> int:
    """The subtask waits: for a person when `waits_for` names a step, else for something outside until `due_at_ms`."""
    subtask.waits_for, subtask.due_at_ms = waits_for, due_at_ms
    subtask.error_type, subtask.error_message = error_type, reason
    return _move(
        change, task, subtask, SubtaskStatus.BLOCKED, "subtask_blocked", said, human=waits_for is not None
    )


def queue_subtask(
    change: Change,
    task: TaskState,
    subtask: SubtaskState,
    *,
    reason: str,
    due_at_ms: int = 0,
    said: Reported = OURS,
) -> int:
    """The subtask is offered again: a retry, a lease that ran out, a person's word."""
    subtask.due_at_ms = due_at_ms
    subtask.waits_for = None
    subtask.result = None
    message = Reported(message=reason) if said is OURS else said
    return _move(change, task, subtask, SubtaskStatus.QUEUED, "subtask_queued", message)


def fail_subtask(
    change: Change, task: TaskState, subtask: SubtaskState, *, error_type: str, error_message: str
) -> None:
    """The subtask failed for good, until a person retries or skips its task."""
    subtask.error_type, subtask.error_message = error_type, error_message
    _move(change, task, subtask, SubtaskStatus.ERROR, "subtask_error", OURS)


def skip_subtask(change: Change, task: TaskState, subtask: SubtaskState, *, reason: str) -> None:
    """A person decided to go on without the subtask."""
    _move(change, task, subtask, SubtaskStatus.SKIPPED, "subtask_skipped", Reported(message=reason))


def freeze_subtasks(change: Change, task: TaskState, text: str) -> None:
    """Keep the subtasks of a task as they are now (JSON): it begins, so later edits of the plan pass it by."""
    task.input = text
    change.log("task_planned", name=task.handler, task_id=task.id, output=text)
    change.unit.add(sql.UPDATE_TASK_INPUT, (text, task.id))


def _move(
    change: Change,
    task: TaskState,
    subtask: SubtaskState,
    status: SubtaskStatus,
    event_type: str,
    said: Reported,
    *,
    output: str | None = None,
    human: bool | None = None,
) -> int:
    subtask.status = status
    task.subtasks[subtask.name] = subtask
    if status in (SubtaskStatus.COMPLETE, SubtaskStatus.SKIPPED, SubtaskStatus.ERROR):
        subtask.completed_at_ms = change.now_ms
        subtask.waits_for = None
    failed = status in (SubtaskStatus.BLOCKED, SubtaskStatus.ERROR, SubtaskStatus.QUEUED)
    seq = change.log(
        said.event_type or event_type, name=task.handler, task_id=task.id, subtask_id=subtask.name,
        agent_id=said.agent_id, status=said.status or status.value, message=said.message,
        output=output or said.output or to_json({"attempt": subtask.attempt}),
        error_type=subtask.error_type if failed else None, error_message=subtask.error_message if failed else None,
        human_review_required=human, agent_at_ms=said.agent_at_ms,
    )  # fmt: skip
    change.moved.append(task)
    change.unit.add(
        sql.UPSERT_WORK,
        (
            task.id, subtask.name, change.state.id, status.value, subtask.attempt, subtask.result,
            subtask.started_at_ms, subtask.completed_at_ms, subtask.agent_id, subtask.failures, subtask.due_at_ms,
            subtask.waits_for, subtask.error_type, subtask.error_message,
        ),
    )  # fmt: skip
    return seq
