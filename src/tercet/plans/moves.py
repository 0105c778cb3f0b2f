"""What is next for a task: which subtasks agents may take, whom to ask, what a person's word means. Pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from tercet.domain.codec import from_json
from tercet.domain.status import SubtaskStatus
from tercet.engine.state import SubtaskState
from tercet.plans.model import HUMAN_ACTION, PlanSubtask, PlanTask

PERFORM_ACTION = "perform_task"
"""The action of a task without subtasks: an agent with this capability does all of it."""
DECOMPOSE_ACTION = "decompose_task"
"""The action of a task without subtasks for an agent that splits it first."""
ANY_ACTION = "*"
SKIP, CANCEL, RETRY = "skip_task", "cancel_execution", "retry_task"
Question = Literal["do", "approve", "review", "accept"]
"""Do the action yourself; approve it before an agent does it; say how to go on; accept the task's results."""
_DONE = frozenset({SubtaskStatus.COMPLETE, SubtaskStatus.SKIPPED})
_PEOPLE_ONLY, _WITH_APPROVAL = 3, 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One thing to do now. `subtask` is empty for what concerns the whole task."""

    kind: Literal["ask", "offer_again", "complete", "skip", "fail", "cancel_execution", "redo", "finish"]
    subtask: str = ""
    question: Question = "do"
    reason: str = ""
    decision: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskView:
    """A task of a plan with what has happened to it."""

    task: PlanTask
    subtasks: Sequence[PlanSubtask]
    states: Mapping[str, SubtaskState]
    doable: Callable[[str], bool]
    """Whether an agent of the execution has a capability."""
    now_ms: int

    def status(self, name: str) -> SubtaskStatus:
        """Return where a subtask is; one that has not begun is queued."""
        state = self.states.get(name)
        return SubtaskStatus.QUEUED if state is None else state.status

    @property
    def finished(self) -> set[str]:
        return {s.subtask_id for s in self.subtasks if self.status(s.subtask_id) in _DONE}

    def answers(self, question: Question, name: str) -> list[dict[str, Any]]:
        """Return the decisions on a question about a subtask, oldest first."""
        stem = f"{question}:{name}:"
        found = [
            (int(step.removeprefix(stem)), state)
            for step, state in self.states.items()
            if step.startswith(stem) and state.status is SubtaskStatus.COMPLETE
        ]
        return [from_json(state.result or "{}") for _, state in sorted(found, key=lambda pair: pair[0])]

    def next_step_name(self, question: Question, name: str) -> str:
        """Return the name of the step that holds the next answer."""
        stem = f"{question}:{name}:"
        return f"{stem}{1 + sum(1 for step in self.states if step.startswith(stem))}"


def implicit_subtask(task: PlanTask, doable: Callable[[str], bool]) -> PlanSubtask:
    """Return the one subtask that stands for a task without any: for an agent that can, else for a person."""
    action = next((a for a in (PERFORM_ACTION, DECOMPOSE_ACTION) if doable(a)), HUMAN_ACTION)
    return PlanSubtask(
        subtask_id=task.task_id, title=task.title, description=task.description, action=action,
        params={"title": task.title, "description": task.description, "assignee_role": task.assignee_role},
    )  # fmt: skip


def open_subtasks(view: TaskView) -> list[PlanSubtask]:
    """Return the queued subtasks whose prerequisites are done and whose time has come."""
    finished = view.finished
    return [
        subtask
        for subtask in view.subtasks
        if view.status(subtask.subtask_id) is SubtaskStatus.QUEUED
        and finished.issuperset(subtask.prerequisites)
        and _due(view, subtask.subtask_id)
    ]


def offered(view: TaskView) -> list[PlanSubtask]:
    """Return the subtasks that an agent may take now."""
    return [subtask for subtask in open_subtasks(view) if _question(view, subtask) is None]


def effective_params(subtask: PlanSubtask, view: TaskView) -> dict[str, Any]:
    """Return the action's parameters as people left them when they approved or reviewed it."""
    params = subtask.params
    questions: tuple[Question, ...] = ("approve", "review")
    for question in questions:
        for answer in view.answers(question, subtask.subtask_id):
            if answer.get("decision") == "approve" and isinstance(answer["data"].get("params"), dict):
                params = answer["data"]["params"]
    return params


def next_moves(view: TaskView) -> list[Move]:
    """Return what to do now; nothing while agents or people are at work."""
    moves = [move for subtask in view.subtasks if (move := _answered(view, subtask)) is not None]
    for subtask in open_subtasks(view):
        question = _question(view, subtask)
        if question is not None:
            moves.append(Move(kind="ask", subtask=subtask.subtask_id, question=question))
    if moves or len(view.finished) < len(view.subtasks):
        return moves
    return _ending(view)


def _due(view: TaskView, name: str) -> bool:
    state = view.states.get(name)
    return state is None or state.due_at_ms <= view.now_ms


def _question(view: TaskView, subtask: PlanSubtask) -> Question | None:
    if view.task.risk_tier == _PEOPLE_ONLY or subtask.action == HUMAN_ACTION:
        return "do"
    if view.task.risk_tier == _WITH_APPROVAL and not _is_approved(view, subtask):
        return "approve"
    return None


def _is_approved(view: TaskView, subtask: PlanSubtask) -> bool:
    answers = view.answers("approve", subtask.subtask_id)
    return bool(answers) and answers[-1].get("decision") == "approve"


def _answered(view: TaskView, subtask: PlanSubtask) -> Move | None:
    """Return what a blocked subtask's answer means; for a wait that ran out, the question to people."""
    name = subtask.subtask_id
    state = view.states.get(name)
    if state is None or state.status is not SubtaskStatus.BLOCKED:
        return None
    if state.waits_for is None:
        if state.due_at_ms <= view.now_ms:
            return Move(
                kind="ask", subtask=name, question="review", reason="nothing came from outside in time"
            )
        return None
    step = view.states.get(state.waits_for)
    if step is None or step.status is not SubtaskStatus.COMPLETE:
        return None
    answer = from_json(step.result or "{}")
    question = state.waits_for.split(":", 1)[0]
    if question == "do":
        return _done_by_person(name, answer)
    if question == "approve":
        return _approved(name, answer)
    return _reviewed(name, answer)


def _done_by_person(name: str, answer: Mapping[str, Any]) -> Move:
    if answer["decision"] == "approve":
        skip = answer.get("option") == SKIP
        return Move(kind="skip" if skip else "complete", subtask=name, reason=_words(answer), decision=answer)
    if answer["decision"] == "reject":
        return Move(kind="fail", subtask=name, reason=_words(answer))
    return Move(kind="offer_again", subtask=name, reason=_words(answer))


def _approved(name: str, answer: Mapping[str, Any]) -> Move:
    kind: Literal["offer_again", "fail"] = "offer_again" if answer["decision"] == "approve" else "fail"
    return Move(kind=kind, subtask=name, reason=_words(answer))


def _reviewed(name: str, answer: Mapping[str, Any]) -> Move:
    if answer["decision"] == "reject":
        return Move(kind="fail", subtask=name, reason=_words(answer))
    if answer.get("option") == SKIP:
        return Move(kind="skip", subtask=name, reason=_words(answer))
    if answer.get("option") == CANCEL:
        return Move(kind="cancel_execution", subtask=name, reason=_words(answer))
    return Move(kind="offer_again", subtask=name, reason=_words(answer))


def _ending(view: TaskView) -> list[Move]:
    task = view.task
    if not task.acceptance_criteria or _criteria_met(view):
        return [Move(kind="finish")]
    answers = view.answers("accept", task.task_id)
    asked = any(step.startswith(f"accept:{task.task_id}:") for step in view.states)
    open_question = any(
        step.startswith(f"accept:{task.task_id}:") and state.status is not SubtaskStatus.COMPLETE
        for step, state in view.states.items()
    )
    if open_question:
        return []
    redone = max((s.completed_at_ms or 0 for n, s in view.states.items() if not _is_answer(n)), default=0)
    if not asked or not answers or _at_ms(answers[-1]) < redone:
        return [Move(kind="ask", question="accept")]
    last = answers[-1]
    if last["decision"] == "approve":
        return [Move(kind="finish", decision=last)]
    if last["decision"] == "revise":
        return [Move(kind="redo", reason=_words(last))]
    return [Move(kind="fail", reason=_words(last))]


def _is_answer(name: str) -> bool:
    return name.split(":", 1)[0] in ("do", "approve", "review", "accept") and name.count(":") >= 2


def _at_ms(answer: Mapping[str, Any]) -> int:
    return round(datetime.fromisoformat(answer["decided_at"]).timestamp() * 1000)


def _criteria_met(view: TaskView) -> bool:
    """Return whether agents confirmed each criterion; only where an agent may act alone is its word enough."""
    if view.task.risk_tier != 1:
        return False
    met: set[str] = set()
    for subtask in view.subtasks:
        state = view.states.get(subtask.subtask_id)
        output = from_json(state.result) if state is not None and state.result else {}
        confirmed = output.get("criteria_met") if isinstance(output, dict) else None
        met.update(item for item in confirmed if isinstance(item, str)) if isinstance(
            confirmed, list
        ) else None
    return met.issuperset(view.task.acceptance_criteria)


def _words(answer: Mapping[str, Any]) -> str:
    who = answer.get("decided_by") or "nobody in time"
    what = answer.get("option") or answer.get("decision")
    return f"{what} by {who}" + (f": {answer['feedback']}" if answer.get("feedback") else "")
