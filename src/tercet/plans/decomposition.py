"""Splitting a task into subtasks: what is asked, what is answered (spec 5 §3), and the rules for agents without a model."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(min_length=1, max_length=160)]
_UNSURE, _FAIR, _GOOD = 0.4, 0.75, 0.85
_STEPS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("search_google_maps", ("prospect", "find", "search", "map", "lead"), "Search for candidates"),
    ("web_scrape", ("prospect", "find", "research", "site"), "Collect details from the web"),
    ("analyze_website", ("website", "site", "score", "qualify", "analy"), "Look at the websites"),
    ("manage_csv", ("list", "csv", "table", "prospect", "score", "qualify"), "Write down the results"),
    ("send_email", ("contact", "interview", "e-mail", "email", "invite", "offer", "follow", "send"), "Send the first message"),
    ("make_phone_call", ("call", "contact", "phone", "interview", "follow"), "Call"),
    ("schedule_calendar_event", ("interview", "meeting", "schedule", "appointment", "demo"), "Agree on a time"),
    ("conduct_interview", ("interview", "discovery", "talk", "workflow"), "Hold the interview"),
    ("analyze_feedback", ("feedback", "interview", "survey", "review"), "Look through what was said"),
    ("create_wireframes", ("wireframe", "design", "mock-up", "prototype"), "Draw the wireframes"),
    ("build_quote", ("quote", "price", "offer", "proposal"), "Work out the price"),
    ("draft_document", ("draft", "write", "proposal", "document", "contract"), "Write the draft"),
    ("document_findings", ("document", "findings", "interview", "discovery", "summary", "understand"), "Write down the findings"),
)  # fmt: skip
"""Capability, the words of a task that ask for it, what the step is called; in the order in which work goes."""


class TaskToSplit(BaseModel):
    """A task as the request names it."""

    model_config = ConfigDict(extra="forbid")

    task_id: Id
    title: str = Field(min_length=1, max_length=2_000)
    description: str = Field(default="", max_length=20_000)
    assignee_role: str | None = Field(default=None, max_length=500)


class DecomposeIn(BaseModel):
    """What `POST /agents/{id}/decompose` takes. With `plan_id` the subtasks become those of the plan's task."""

    model_config = ConfigDict(extra="forbid")

    task: TaskToSplit
    plan_context: dict[str, Any] = Field(default_factory=dict)
    agent_capabilities: list[Annotated[str, Field(max_length=200)]] = Field(
        default_factory=list, max_length=500
    )
    plan_id: str | None = Field(default=None, max_length=64)


class DecomposedSubtask(BaseModel):
    """A step of the answer."""

    model_config = ConfigDict(extra="ignore")

    subtask_id: Id
    title: str = Field(min_length=1, max_length=2_000)
    action: str = Field(min_length=1, max_length=200)
    params: dict[str, Any] = Field(default_factory=dict)
    depends_on: list[Id] = Field(default_factory=list)
    success_criteria: list[str] = Field(default_factory=list)
    failure_handling: str = ""


class Decomposition(BaseModel):
    """The answer, before it was checked. `warnings` tell what was wrong with it."""

    model_config = ConfigDict(extra="ignore")

    decomposition_confidence: float = Field(ge=0, le=1)
    decomposed_subtasks: list[DecomposedSubtask] = Field(min_length=1, max_length=100)
    notes: str = ""
    warnings: list[str] = Field(default_factory=list)


def split_by_rules(task: TaskToSplit, capabilities: list[str]) -> Decomposition:
    """Return the steps that the task's words ask for, one after the other, as sure as the words are clear."""
    words = f"{task.title} {task.description}".casefold()
    steps = [
        (action, title)
        for action, keywords, title in _STEPS
        if action in capabilities and any(keyword in words for keyword in keywords)
    ]
    confidence = _GOOD if len(steps) >= 3 else _FAIR if len(steps) == 2 else _UNSURE
    if not steps:
        steps = [((capabilities or ["human"])[0], task.title)]
    subtasks = [
        DecomposedSubtask(
            subtask_id=f"{task.task_id}_{_letter(number)}", title=f"{title}: {task.title}"[:2_000], action=action,
            params={"task": task.title}, depends_on=[f"{task.task_id}_{_letter(number - 1)}"] if number else [],
            success_criteria=[f"{title} is done"], failure_handling="ask a person",
        )
        for number, (action, title) in enumerate(steps)
    ]  # fmt: skip
    notes = "Split by rules, from the words of the task: no model was asked."
    return Decomposition(decomposition_confidence=confidence, decomposed_subtasks=subtasks, notes=notes)


def check_decomposition(
    split: Decomposition, task_id: str, capabilities: list[str]
) -> tuple[Decomposition, list[str]]:
    """Return the steps as they can run, and their order; what was wrong lowers the confidence and is named.

    Ids get the task's own in front, dependencies on nothing go, a circle becomes a line, unknown actions stay.
    """
    warnings = list(split.warnings)
    renamed = {
        step.subtask_id: step.subtask_id if step.subtask_id.startswith(f"{task_id}_") else f"{task_id}_{step.subtask_id}"[:160]
        for step in split.decomposed_subtasks
    }  # fmt: skip
    steps, seen = [], set()
    for number, step in enumerate(split.decomposed_subtasks):
        name = renamed[step.subtask_id]
        if name in seen:
            name = f"{task_id}_{_letter(number)}{number}"
            warnings.append(f"the id {step.subtask_id!r} occurred twice")
        seen.add(name)
        known = [renamed[before] for before in step.depends_on if before in renamed]
        if len(known) < len(step.depends_on):
            warnings.append(f"{name!r} depended on something that does not exist")
        if capabilities and step.action not in capabilities:
            warnings.append(f"no capability for the action {step.action!r}")
        steps.append(step.model_copy(update={"subtask_id": name, "depends_on": known}))
    try:
        order = list(TopologicalSorter({s.subtask_id: s.depends_on for s in steps}).static_order())
    except CycleError:
        warnings.append("the steps went round in a circle; they are done in the order given")
        order = [step.subtask_id for step in steps]
        steps = [
            step.model_copy(update={"depends_on": order[number - 1 : number] if number else []})
            for number, step in enumerate(steps)
        ]
    confidence = max(0.0, split.decomposition_confidence - 0.15 * (len(warnings) - len(split.warnings)))
    checked = split.model_copy(
        update={
            "decomposed_subtasks": steps,
            "warnings": warnings,
            "decomposition_confidence": round(confidence, 4),
        }
    )
    return checked, order


def to_plan_subtasks(split: Decomposition) -> list[dict[str, Any]]:
    """Return the steps as a plan's subtasks."""
    return [
        {
            "subtask_id": step.subtask_id, "title": step.title, "action": step.action, "params": step.params,
            "prerequisites": step.depends_on, "success_criteria": step.success_criteria,
            "description": step.failure_handling and f"If it fails: {step.failure_handling}",
        }
        for step in split.decomposed_subtasks
    ]  # fmt: skip


def _letter(number: int) -> str:
    return chr(ord("a") + number) if 0 <= number < 26 else f"s{number + 1}"
