"""What an agent worker's event does to its subtask: checked against where the subtask is, then applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tercet.domain.agent_work import HANDED_BACK
from tercet.domain.errors import Conflict, InvalidInput, NotFound
from tercet.domain.retry import RetryPolicy, backoff_seconds
from tercet.domain.status import SubtaskStatus
from tercet.engine import subtasks as steps
from tercet.engine.changes import Change
from tercet.engine.state import SubtaskState, TaskState
from tercet.plans.definition import PlanDefinition
from tercet.plans.model import PlanSubtask
from tercet.plans.moves import Move, TaskView, offered
from tercet.plans.progress import Progress, become_running
from tercet.plans.questions import next_step_options
from tercet.plans.report_model import AgentEvent
from tercet.plans.work import WorkRules
from tercet.plans.workers import Worker

_DEFAULT_RETRIES = RetryPolicy(max_attempts=3, backoff_seconds=60.0, max_backoff_seconds=3_600.0)
_LOG_STATUS = {
    "heartbeat": "running", "task_started": "running", "task_progress": "running", "subtask_in_progress": "running",
    "task_complete": "success", "subtask_complete": "success", "task_error": "error", "task_blocked": "blocked",
}  # fmt: skip


@dataclass(kw_only=True, slots=True)
class Outcome:
    """What became of an event: its number in the log, and what the agent is told besides."""

    seq: int
    told: dict[str, Any] = field(default_factory=dict)
    completed: str | None = None
    """The title of what is complete now."""


@dataclass(kw_only=True, slots=True)
class _Place:
    task: TaskState
    view: TaskView
    subtask: PlanSubtask
    record: SubtaskState


class Verdicts:
    """Applies events. Every check comes before the first write, so that a refused event leaves no trace."""

    def __init__(self, progress: Progress, rules: WorkRules) -> None:
        self._progress = progress
        self._rules = rules

    def apply(self, change: Change, definition: PlanDefinition, worker: Worker, event: AgentEvent) -> Outcome:
        """Record the event and what follows for its subtask. Raises NotFound, Conflict, InvalidInput."""
        _check_fits(event)
        if event.event_type == "heartbeat" and event.ref is None:
            return Outcome(seq=_note(change, event))
        if event.ref is None:
            raise InvalidInput(
                "task_id is required",
                detail=[{"field": "task_id", "rule": f"is required for {event.event_type}"}],
            )
        place = self._find(change, definition, event.ref)
        if place is None:
            return self._late(change, definition, event, event.ref)
        if event.event_type in ("task_complete", "subtask_complete"):
            return self._complete(change, place, worker, event)
        if event.event_type == "task_error":
            return self._fail(change, place, worker, event)
        if event.event_type == "task_blocked":
            return self._block(change, place, worker, event)
        return self._go_on(change, place, worker, event)

    def fail_attempt(
        self, change: Change, definition: PlanDefinition, task: TaskState, record: SubtaskState, *, error_type: str,
        error_message: str,
    ) -> None:  # fmt: skip
        """End an attempt that ran too long."""
        view = self._progress.view(change, definition, task)
        subtask = next(s for s in view.subtasks if s.subtask_id == record.name)
        place = _Place(task=task, view=view, subtask=subtask, record=record)
        said = steps.Reported(message=error_message)
        self._attempt_failed(change, place, said, error_type, error_message, review=False, suggestions=[])

    def _find(self, change: Change, definition: PlanDefinition, ref: str) -> _Place | None:
        """Return what the id names among the open tasks. Raises NotFound, Conflict for what has not begun."""
        owner = definition.task_of.get(ref)
        for task in change.state.tasks.values():
            if not task.is_work or (owner is not None and task.handler != owner):
                continue
            view = self._progress.view(change, definition, task)
            subtask = _named(view, task, ref)
            if subtask is not None:
                record = task.subtasks.get(subtask.subtask_id)
                if record is None:
                    record = SubtaskState(name=subtask.subtask_id, status=SubtaskStatus.QUEUED)
                return _Place(task=task, view=view, subtask=subtask, record=record)
        if owner is None:
            raise NotFound(f"the execution has no task {ref!r}")
        return None

    def _late(self, change: Change, definition: PlanDefinition, event: AgentEvent, ref: str) -> Outcome:
        owner = definition.task_of[ref]
        if owner not in (change.state.ended_at_ms or {}):
            raise Conflict(f"{ref!r} has not begun: what it depends on is not done")
        if event.event_type in ("task_progress", "subtask_in_progress", "task_started", "heartbeat"):
            return Outcome(seq=_note(change, event, name=ref))
        raise Conflict(f"{ref!r} has ended already", hint="its result stays as it is")

    def _complete(self, change: Change, place: _Place, worker: Worker, event: AgentEvent) -> Outcome:
        self._take(change, place, worker)
        if place.record.status is SubtaskStatus.BLOCKED and place.record.waits_for is not None:
            raise Conflict(
                f"{place.record.name!r} waits for a person", hint="go on when the work is handed out again"
            )
        become_running(change, place.task)
        said = _said(event, "success")
        seq = steps.complete_subtask(change, place.task, place.record, event.output, said)
        return Outcome(seq=seq, completed=place.subtask.title or place.record.name)

    def _fail(self, change: Change, place: _Place, worker: Worker, event: AgentEvent) -> Outcome:
        if place.record.status is not SubtaskStatus.RUNNING and place.record.agent_id == worker.id:
            return Outcome(seq=_note(change, event, place))
        self._take(change, place, worker)
        if event.error_type == HANDED_BACK:
            reason = event.error_message or "handed back"
            seq = steps.queue_subtask(
                change, place.task, place.record, reason=reason, said=_said(event, "error")
            )
            return Outcome(seq=seq, told={"status": "QUEUED", "human_review_required": False})
        return self._attempt_failed(
            change, place, _said(event, "error"), event.error_type or "unspecified",
            event.error_message or event.message or "the agent gave no reason",
            review=event.human_review_required or event.blocking, suggestions=event.suggestions,
        )  # fmt: skip

    def _attempt_failed(
        self, change: Change, place: _Place, said: steps.Reported, error_type: str, error_message: str, *,
        review: bool, suggestions: list[str],
    ) -> Outcome:  # fmt: skip
        record, policy = place.record, _policy(place.subtask)
        record.failures += 1
        record.error_type, record.error_message = error_type, error_message
        delay = backoff_seconds(policy, attempt=record.failures, random=0.5)
        if review or delay is None:
            return self._ask(change, place, said, error_message, suggestions)
        due_at_ms = change.now_ms + int(delay * 1000)
        seq = steps.queue_subtask(
            change, place.task, record, reason=error_message, due_at_ms=due_at_ms, said=said
        )
        text = f"Attempt {record.failures} of {policy.max_attempts} failed; offered again in {delay:.0f} s"
        return Outcome(
            seq=seq, told={"status": "QUEUED", "human_review_required": False, "status_message": text}
        )

    def _ask(
        self, change: Change, place: _Place, said: steps.Reported, reason: str, suggestions: list[str]
    ) -> Outcome:
        become_running(change, place.task)
        move = Move(kind="ask", subtask=place.record.name, question="review", reason=reason)
        seq = self._progress.ask(change, place.task, place.view, move, suggestions=suggestions, said=said)
        return Outcome(
            seq=seq,
            told={
                "status": "BLOCKED",
                "human_review_required": True,
                "escalated_to": change.state.requested_by,
                "next_step_options": next_step_options(suggestions),
            },
        )

    def _block(self, change: Change, place: _Place, worker: Worker, event: AgentEvent) -> Outcome:
        if place.record.status is not SubtaskStatus.RUNNING and place.record.agent_id == worker.id:
            return Outcome(seq=_note(change, event, place))
        self._take(change, place, worker)
        said = _said(event, "blocked")
        reason = event.error_message or event.message or "waits for something outside"
        place.record.error_type = event.error_type or "external_dependency_blocked"
        if event.human_review_required:
            return self._ask(change, place, said, reason, event.suggestions)
        due_at_ms = change.now_ms + int(self._rules.external_wait_seconds * 1000)
        seq = steps.block_subtask(
            change, place.task, place.record, reason=reason, waits_for=None, due_at_ms=due_at_ms,
            error_type=place.record.error_type, said=said,
        )  # fmt: skip
        hours = self._rules.external_wait_seconds / 3600
        text = f"Waits for something outside; a person is asked after {hours:g} hours"
        return Outcome(
            seq=seq, told={"status": "BLOCKED", "human_review_required": False, "status_message": text}
        )

    def _go_on(self, change: Change, place: _Place, worker: Worker, event: AgentEvent) -> Outcome:
        record = place.record
        if event.event_type == "heartbeat":
            return Outcome(seq=_note(change, event, place))
        if (
            record.status is SubtaskStatus.BLOCKED
            and record.waits_for is None
            and record.agent_id == worker.id
        ):
            record.error_type = record.error_message = None
            steps.resume_subtask(change, place.task, record, _said(event, "running"))
            return Outcome(seq=change.state.seq)
        if record.status is SubtaskStatus.QUEUED and event.event_type == "task_started":
            self._take(change, place, worker)
            return Outcome(seq=_note(change, event, place))
        if record.agent_id is not None and record.agent_id != worker.id:
            raise _not_yours(record)
        return Outcome(seq=_note(change, event, place))

    def _take(self, change: Change, place: _Place, worker: Worker) -> None:
        """Make sure that the subtask is the agent's to report on; begin it for an agent that did not poll."""
        record = place.record
        if record.status is SubtaskStatus.RUNNING:
            if record.agent_id != worker.id:
                raise _not_yours(record)
            return
        if record.status in (SubtaskStatus.COMPLETE, SubtaskStatus.SKIPPED, SubtaskStatus.ERROR):
            raise Conflict(f"{record.name!r} is {record.status} already", hint="its result stays as it is")
        if record.agent_id == worker.id:
            return
        is_open = any(s.subtask_id == record.name for s in offered(place.view))
        if not is_open or not worker.can(place.subtask.action):
            raise Conflict(
                f"{record.name!r} is not open for {worker.id!r}", hint="take work from GET /agents/{id}/work"
            )
        self._progress.begin(change, place.task, place.view)
        steps.start_subtask(change, place.task, record, agent_id=worker.id, token=worker.id)


def _named(view: TaskView, task: TaskState, ref: str) -> PlanSubtask | None:
    """Return the subtask that the id names; a task's own id names what runs of it, or its only subtask."""
    for subtask in view.subtasks:
        if subtask.subtask_id == ref:
            return subtask
    if task.handler != ref:
        return None
    running = [s for s in view.subtasks if view.status(s.subtask_id) is SubtaskStatus.RUNNING]
    if len(running) == 1 or len(view.subtasks) == 1:
        return running[0] if running else view.subtasks[0]
    raise Conflict(
        f"{ref!r} has {len(view.subtasks)} subtasks", hint="report the subtask that was handed out, by its id"
    )


def _policy(subtask: PlanSubtask) -> RetryPolicy:
    return RetryPolicy.model_validate(subtask.retry_policy) if subtask.retry_policy else _DEFAULT_RETRIES


def _said(event: AgentEvent, status: str) -> steps.Reported:
    return steps.Reported(
        event_type=event.event_type, agent_id=event.agent_id, status=status, message=event.message,
        agent_at_ms=event.agent_at_ms, output=event.output,
    )  # fmt: skip


def _note(change: Change, event: AgentEvent, place: _Place | None = None, *, name: str | None = None) -> int:
    return change.log(
        event.event_type, name=place.task.handler if place else name, task_id=place.task.id if place else None,
        subtask_id=place.record.name if place else None, agent_id=event.agent_id,
        status=_LOG_STATUS[event.event_type] if place else event.status or "running", message=event.message,
        output=event.output, error_type=event.error_type, error_message=event.error_message,
        agent_at_ms=event.agent_at_ms,
    )  # fmt: skip


def _not_yours(record: SubtaskState) -> Conflict:
    return Conflict(f"{record.name!r} is with another agent now", hint="drop it and take other work")


def _check_fits(event: AgentEvent) -> None:
    wanted = _LOG_STATUS[event.event_type]
    may_pause = event.event_type in ("heartbeat", "task_progress", "subtask_in_progress")
    if event.status in (None, wanted) or (event.status == "paused" and may_pause):
        return
    raise InvalidInput(
        f"status {event.status!r} does not fit {event.event_type}",
        detail=[
            {"field": "status", "rule": f"is {wanted!r} for {event.event_type}", "hint": "or leave it out"}
        ],
    )
