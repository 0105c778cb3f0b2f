"""What is next for a task: which subtasks agents may take, whom to ask, what a person's word means. Pure rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput
from tercet.domain.status import SubtaskStatus
from tercet.engine.state import SubtaskState
from tercet.plans.editing import read_edited
from tercet.plans.model import HUMAN_ACTION, PlanSubtask, PlanTask

PERFORM_ACTION = "perform_task"
"""The action of a task without subtasks: an agent with this capability does all of it."""
DECOMPOSE_ACTION = "decompose_task"
"""The action of a task without subtasks for an agent that splits it first."""
ANY_ACTION = "*"
AGENT_SILENT = "agent_silent"
"""The error of an attempt whose agent gave no sign for too long."""
SKIP, CANCEL, RETRY = "skip_task", "cancel_execution", "retry_task"
Question = Literal["split", "do", "approve", "review", "accept"]
"""Check how a task was split; do the action yourself; approve it before an agent does it; say how to go on; accept
the task's results."""
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
    now_ms: int
    opens_at_ms: int = 0
    """Nothing of the task is offered before."""
    min_confidence: float = 0.7
    """A decomposition that is less sure is checked by a person before it runs."""
    escalate_ms: int = 24 * 3_600_000
    """So long after an agent's silence a person is asked, when nobody else took the work."""

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

    def answered_steps(self) -> list[SubtaskState]:
        """Return the answers about the whole task that still hold."""
        stems = (f"split:{self.task.task_id}:", f"accept:{self.task.task_id}:")
        return [
            s for n, s in self.states.items() if n.startswith(stems) and s.status is SubtaskStatus.COMPLETE
        ]

    def next_step_name(self, question: Question, name: str) -> str:
        """Return the name of the step that holds the next answer."""
        stem = f"{question}:{name}:"
        return f"{stem}{1 + sum(1 for step in self.states if step.startswith(stem))}"


@lru_cache(maxsize=4_096)
def read_subtasks(text: str) -> tuple[PlanSubtask, ...]:
    """Return the subtasks that were kept when a task began."""
    return tuple(PlanSubtask.model_validate(item) for item in from_json(text))


def implicit_subtask(task: PlanTask, doable: Callable[[str], bool]) -> PlanSubtask:
    """Return the one subtask that stands for a task without any: for an agent that can, else for a person."""
    action = next((a for a in (PERFORM_ACTION, DECOMPOSE_ACTION) if doable(a)), HUMAN_ACTION)
    return PlanSubtask(
        subtask_id=task.task_id, title=task.title, description=task.description, action=action,
        params={"title": task.title, "description": task.description, "assignee_role": task.assignee_role},
    )  # fmt: skip


def has_doubtful_split(view: TaskView) -> bool:
    """Return whether a person has to check the task's subtasks first."""
    confidence = view.task.decomposition_confidence
    if confidence is None or confidence >= view.min_confidence:
        return False
    answers = view.answers("split", view.task.task_id)
    return not answers or answers[-1].get("decision") != "approve" or bool(split_problem(answers[-1]))


def split_problem(answer: Mapping[str, Any]) -> str:
    """Return what is wrong with the subtasks that a person wrote; empty when nothing is, or when nobody edited them."""
    edited = (answer.get("edits") or {}).get("subtasks")
    if edited is None:
        return ""
    try:
        read_edited(edited)
    except InvalidInput as error:
        return error.message
    return ""


def open_subtasks(view: TaskView) -> list[PlanSubtask]:
    """Return the queued subtasks whose prerequisites are done and whose time has come."""
    if has_doubtful_split(view):
        return []
    finished = view.finished
    return [
        subtask
        for subtask in view.subtasks
        if view.status(subtask.subtask_id) is SubtaskStatus.QUEUED
        and finished.issuperset(subtask.prerequisites)
        and _due(view, subtask.subtask_id)
    ]


def is_runnable(view: TaskView) -> bool:
    """Return whether an agent is at work, or could take something now or later."""
    if has_doubtful_split(view):
        return False
    finished = view.finished
    return any(
        view.status(subtask.subtask_id) is SubtaskStatus.RUNNING
        or (
            view.status(subtask.subtask_id) is SubtaskStatus.QUEUED
            and finished.issuperset(subtask.prerequisites)
        )
        for subtask in view.subtasks
    )


def has_open_question(view: TaskView) -> bool:
    """Return whether a person is asked about the whole task: its split, or its results."""
    stems = (f"split:{view.task.task_id}:", f"accept:{view.task.task_id}:")
    return any(
        step.startswith(stems) and state.status is SubtaskStatus.RUNNING
        for step, state in view.states.items()
    )


def next_look_at_ms(view: TaskView) -> int | None:
    """Return when time alone will change something: a lag, a retry or a wait ends, nobody took the work."""
    times = [view.opens_at_ms]
    for subtask in view.subtasks:
        state = view.states.get(subtask.subtask_id)
        if state is None:
            continue
        if state.status in (SubtaskStatus.QUEUED, SubtaskStatus.BLOCKED) and state.waits_for is None:
            times.append(state.due_at_ms)
        if state.status is SubtaskStatus.QUEUED and state.error_type == AGENT_SILENT:
            times.append((state.started_at_ms or 0) + view.escalate_ms)
    return min((at_ms for at_ms in times if at_ms > view.now_ms), default=None)


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
    if has_doubtful_split(view):
        return _about_split(view)
    moves = [move for subtask in view.subtasks if (move := _answered(view, subtask)) is not None]
    for subtask in open_subtasks(view):
        question = _question(view, subtask)
        if question is not None:
            moves.append(Move(kind="ask", subtask=subtask.subtask_id, question=question))
    if moves or len(view.finished) < len(view.subtasks):
        return moves
    return _ending(view)


def _about_split(view: TaskView) -> list[Move]:
    answers = view.answers("split", view.task.task_id)
    if has_open_question(view):
        return []
    if answers and answers[-1]["decision"] == "reject":
        return [Move(kind="fail", reason=_words(answers[-1]))]
    return [Move(kind="ask", question="split", reason=split_problem(answers[-1]) if answers else "")]


def _due(view: TaskView, name: str) -> bool:
    if view.opens_at_ms > view.now_ms:
        return False
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
    if state is None:
        return None
    if state.status is SubtaskStatus.QUEUED and state.error_type == AGENT_SILENT:
        waited_ms = view.now_ms - (state.started_at_ms or 0)
        reason = "its agent fell silent, and nobody else took it"
        return (
            Move(kind="ask", subtask=name, question="review", reason=reason)
            if waited_ms >= view.escalate_ms
            else None
        )
    if state.status is not SubtaskStatus.BLOCKED:
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
    if has_open_question(view):
        return []
    answers = view.answers("accept", task.task_id)
    if not answers:
        return [Move(kind="ask", question="accept")]
    last = answers[-1]
    if last["decision"] == "approve":
        return [Move(kind="finish", decision=last)]
    if last["decision"] == "revise":
        return [Move(kind="redo", reason=_words(last))]
    return [Move(kind="fail", reason=_words(last))]


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
