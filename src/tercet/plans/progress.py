"""Carries a plan's execution on: after each change the moves that follow from it, in the same commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tercet.domain.codec import from_json, to_json
from tercet.domain.status import ExecutionStatus, SubtaskStatus, TaskStatus
from tercet.engine import subtasks as steps
from tercet.engine.changes import Change
from tercet.engine.state import ExecutionState, SubtaskState, TaskState
from tercet.humans.requests import open_approval
from tercet.plans.definition import PlanDefinition
from tercet.plans.editing import checked_subtasks
from tercet.plans.moves import Move, TaskView, has_open_question, is_runnable, next_moves, split_problem
from tercet.plans.questions import ask_about, results_of
from tercet.store.executions import WORKER

_MOST_ROUNDS = 50
_REJECTED = "human_rejected"


class Progress:
    """Decides for all plans. `doable` tells whether an agent of an execution has a capability."""

    def __init__(
        self,
        *,
        doable: Callable[[ExecutionState, str], bool],
        cancel_soon: Callable[[str, str], None],
        escalate_seconds: float = 24 * 3600,
        min_confidence: float = 0.7,
    ) -> None:
        self._doable = doable
        self._cancel_soon = cancel_soon
        self._escalate_ms = int(escalate_seconds * 1000)
        self._min_confidence = min_confidence

    def follow_up(self, change: Change, definition: PlanDefinition) -> None:
        """Create the tasks that may begin, and make the moves of those that changed."""
        state = change.state
        if state.ended:
            return
        if not state.tasks and not state.ended_at_ms:
            self._create_ready(change, definition, definition.tasks)
        handled: set[str] = set()
        for task in change.moved:  # grows while it is walked: new tasks join it
            if task.id in handled:
                continue
            handled.add(task.id)
            if state.status is not ExecutionStatus.PAUSED and task.id in state.tasks:
                self._advance(change, definition, task)
            followers = definition.gates.followers.get(task.handler)
            if followers and (task.started_at_ms is not None or task.id not in state.tasks):
                self._create_ready(change, definition, followers)

    def view(self, change: Change, definition: PlanDefinition, task: TaskState) -> TaskView:
        """Return a task of the change's execution with what has happened to it."""
        return self.view_of(change.state, definition, task, change.now_ms)

    def view_of(
        self, state: ExecutionState, definition: PlanDefinition, task: TaskState, now_ms: int
    ) -> TaskView:
        """Return a task of an execution that nobody changes now."""
        return TaskView(
            task=definition.tasks[task.handler],
            subtasks=definition.subtasks_of(task, self.doable_in(state)),
            states=task.subtasks,
            now_ms=now_ms,
            opens_at_ms=task.due_at_ms,
            min_confidence=self._min_confidence,
            escalate_ms=self._escalate_ms,
        )

    def doable_in(self, state: ExecutionState) -> Callable[[str], bool]:
        """Return the question whether an agent of the execution has a capability."""
        return lambda action: self._doable(state, action)

    def begin(self, change: Change, task: TaskState, view: TaskView) -> None:
        """Keep a task's subtasks as they are, once something of it begins."""
        if task.input is None:
            steps.freeze_subtasks(change, task, to_json([s.model_dump(mode="json") for s in view.subtasks]))

    def ask(
        self, change: Change, task: TaskState, view: TaskView, move: Move, *, suggestions: Sequence[str] = (),
        said: steps.Reported = steps.OURS,
    ) -> int:  # fmt: skip
        """Ask people, and block what waits for them; return the number of the blocking event."""
        self.begin(change, task, view)
        subtask = next((s for s in view.subtasks if s.subtask_id == move.subtask), None)
        title, data, spec = ask_about(move, view, subtask, suggestions=suggestions)
        step = view.next_step_name(move.question, move.subtask or task.handler)
        open_approval(change, task, step, title=title, data=data, spec=spec)
        if subtask is None:
            return change.state.seq
        state = task.subtasks.get(move.subtask) or SubtaskState(
            name=move.subtask, status=SubtaskStatus.QUEUED
        )
        return steps.block_subtask(
            change, task, state, reason=move.reason or title, waits_for=step, error_type=state.error_type,
            said=said,
        )  # fmt: skip

    def _create_ready(self, change: Change, definition: PlanDefinition, names: Iterable[str]) -> None:
        state = change.state
        ended = state.ended_at_ms or {}
        started = {t.handler: t.started_at_ms for t in state.tasks.values() if t.started_at_ms is not None}
        known = {task.handler for task in state.tasks.values()} | ended.keys()
        for name in names:
            if name in known:
                continue
            opens_at_ms = definition.gates.opens_at_ms(name, ended_at_ms=ended, started_at_ms=started)
            if opens_at_ms is None:
                continue
            planned = definition.tasks[name]
            change.create_task(
                TaskState(
                    id=change.mint.mint("tsk"), handler=name, executor=WORKER, status=TaskStatus.QUEUED, event_seq=1,
                    hops=0, priority=planned.priority, max_attempts=1,
                    due_at_ms=max(opens_at_ms, change.now_ms), created_at_ms=change.now_ms,
                )
            )  # fmt: skip

    def _advance(self, change: Change, definition: PlanDefinition, task: TaskState) -> None:
        if task.status is TaskStatus.ERROR:
            return  # until a person retries or skips it
        _adopt_split(change, task)
        view = self.view(change, definition, task)
        if task.due_at_ms > change.now_ms:
            return
        self._begin_again(change, task, view)
        for _ in range(_MOST_ROUNDS):
            moves = next_moves(view)
            for move in moves:
                self._make(change, task, view, move)
            if not moves or task.id not in change.state.tasks:
                break
        if _is_open(change, task):
            self._settle(change, task, view)

    def _begin_again(self, change: Change, task: TaskState, view: TaskView) -> None:
        """A person retried a dead letter: what failed is offered again, what people said is asked again."""
        if task.status is not TaskStatus.QUEUED:
            return
        for subtask in view.subtasks:
            state = task.subtasks.get(subtask.subtask_id)
            if state is not None and state.status is SubtaskStatus.ERROR:
                _offer_again(change, task, state, "retried")
        for state in view.answered_steps():
            if from_json(state.result or "{}").get("decision") == "reject":
                steps.skip_subtask(change, task, state, reason="the task was retried")

    def _make(self, change: Change, task: TaskState, view: TaskView, move: Move) -> None:
        if move.kind == "ask":
            self.ask(change, task, view, move)
        elif move.kind == "cancel_execution":
            by = move.reason
            change.unit.after_commit.append(lambda: self._cancel_soon(change.state.id, by))
            self._end(change, task, task.subtasks[move.subtask], move)
        elif move.kind == "finish":
            become_running(change, task)
            change.complete_task(task, to_json({"subtasks": results_of(view)}))
        elif move.kind == "redo":
            for subtask in view.subtasks:
                _offer_again(change, task, task.subtasks[subtask.subtask_id], move.reason)
            for state in view.answered_steps():
                steps.skip_subtask(change, task, state, reason="the task is done again")
        elif not move.subtask:
            become_running(change, task)
            change.fail_task(task, error_type=_REJECTED, error_message=move.reason)
        else:
            self._end(change, task, task.subtasks[move.subtask], move)

    def _end(self, change: Change, task: TaskState, state: SubtaskState, move: Move) -> None:
        if move.kind == "complete":
            answer = dict(move.decision or {})
            done = {
                "output": (answer.get("data") or {}).get("output"),
                "feedback": answer.get("feedback"),
                "form": answer.get("form"),
                "done_by": answer.get("decided_by"),
            }
            steps.complete_subtask(change, task, state, to_json(done))
        elif move.kind == "skip":
            steps.skip_subtask(change, task, state, reason=move.reason)
        elif move.kind == "offer_again":
            _offer_again(change, task, state, move.reason)
        else:
            steps.fail_subtask(change, task, state, error_type=_REJECTED, error_message=move.reason)

    def _settle(self, change: Change, task: TaskState, view: TaskView) -> None:
        """Give the task the status that its subtasks have together."""
        if is_runnable(view):
            if task.status is TaskStatus.BLOCKED:
                change.queue_task(task, due_at_ms=task.due_at_ms, reason="going on")
            if task.status is TaskStatus.QUEUED and _has(view, SubtaskStatus.RUNNING):
                change.start_task(task, "none")
            return
        waiting = [s for s in view.subtasks if view.status(s.subtask_id) is SubtaskStatus.BLOCKED]
        if waiting or has_open_question(view):
            if task.status is not TaskStatus.BLOCKED:
                become_running(change, task)
                first = view.states[waiting[0].subtask_id] if waiting else None
                human = first is None or first.waits_for is not None
                message = (
                    first.error_message if first is not None else "waiting for a person: accept the results"
                )
                change.block_task(task, message or "waiting", human=human)
            return
        failed = next((s for s in view.states.values() if s.status is SubtaskStatus.ERROR), None)
        become_running(change, task)
        change.fail_task(
            task,
            error_type=(failed.error_type if failed else None) or _REJECTED,
            error_message=(failed.error_message if failed else None) or "nothing of the task can go on",
        )


def _offer_again(change: Change, task: TaskState, state: SubtaskState, reason: str) -> None:
    state.failures = 0
    state.error_type = state.error_message = None
    steps.queue_subtask(change, task, state, reason=reason)


def _adopt_split(change: Change, task: TaskState) -> None:
    """A person approved how the task was split: from now on its subtasks are those, with the edits."""
    for step, state in task.subtasks.items():
        if state.status is not SubtaskStatus.COMPLETE or not step.startswith(f"split:{task.handler}:"):
            continue
        answer = from_json(state.result or "{}")
        edited = (answer.get("edits") or {}).get("subtasks")
        if answer.get("decision") == "approve" and edited is not None and not split_problem(answer):
            text = to_json(checked_subtasks(edited))
            if text != task.input:
                steps.freeze_subtasks(change, task, text)


def _is_open(change: Change, task: TaskState) -> bool:
    return task.id in change.state.tasks and task.status is not TaskStatus.ERROR


def become_running(change: Change, task: TaskState) -> None:
    """Make a task run that is about to end or to block: its subtasks did, or people decided."""
    if task.status is not TaskStatus.RUNNING:
        change.start_task(task, "none")


def _has(view: TaskView, status: SubtaskStatus) -> bool:
    return any(view.status(subtask.subtask_id) is status for subtask in view.subtasks)
