"""What people are asked about a plan's work, and which ways on they are offered. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.domain.codec import from_json
from tercet.plans.model import PlanSubtask
from tercet.plans.moves import CANCEL, RETRY, SKIP, Move, TaskView, effective_params

_DAY_SECONDS = 86_400.0


def next_step_options(suggestions: Sequence[str]) -> list[str]:
    """Return the ways on from a block (spec 5 §2): one a kind of suggestion, then skip and cancel."""
    options = [_option(text, number) for number, text in enumerate(suggestions, start=1)]
    return [*(dict.fromkeys(options) if options else [RETRY]), SKIP, CANCEL]


def ask_about(
    move: Move, view: TaskView, subtask: PlanSubtask | None, *, suggestions: Sequence[str] = ()
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the (title, data, spec) of the approval that asks the move's question."""
    spec: dict[str, Any] = {"reminders": {"every_seconds": _DAY_SECONDS, "max": 5}}
    if move.question == "split":
        proposed: dict[str, Any] = {
            "subtasks": [s.model_dump(mode="json") for s in view.subtasks],
            "confidence": view.task.decomposition_confidence,
            "notes": view.task.decomposition_notes,
            "problem": move.reason or None,
        }
        title = f"Check how this was split: {_name(view.task.title, view.task.task_id)}"
        return title, proposed, {**spec, "editable": ["subtasks"]}
    if subtask is None:
        results: dict[str, Any] = {
            "acceptance_criteria": list(view.task.acceptance_criteria),
            "results": results_of(view),
        }
        return f"Accept the results of: {_name(view.task.title, view.task.task_id)}", results, spec
    name = _name(subtask.title, subtask.subtask_id)
    data: dict[str, Any] = {
        "action": subtask.action,
        "params": effective_params(subtask, view),
        "description": subtask.description or view.task.description,
        "success_criteria": list(subtask.success_criteria),
    }
    if move.question == "do":
        return f"Do: {name}", {**data, "output": {}}, {**spec, "editable": ["output"], "options": [SKIP]}
    spec["editable"] = ["params"]
    if move.question == "approve":
        return f"Approve before an agent does it: {name}", data, spec
    state = view.states.get(subtask.subtask_id)
    data |= {
        "reason": move.reason,
        "error_type": state.error_type if state else None,
        "error_message": state.error_message if state else None,
        "attempt": state.attempt if state else 0,
        "agent_id": state.agent_id if state else None,
        "suggestions": list(suggestions),
    }
    return f"Decide how to go on: {name}", data, {**spec, "options": next_step_options(suggestions)}


def results_of(view: TaskView) -> dict[str, Any]:
    """Return what came out of each subtask so far."""
    return {
        name: from_json(state.result)
        for name in (subtask.subtask_id for subtask in view.subtasks)
        if (state := view.states.get(name)) is not None and state.result is not None
    }


def _option(suggestion: str, number: int) -> str:
    text = suggestion.casefold()
    # "Call her" before "e-mail": a sentence that names both usually says how to reach somebody instead of mailing.
    if "call" in text or "phone" in text:
        return "approve_phone_call"
    if "email" in text or "e-mail" in text:
        return "approve_alternative_email"
    return f"approve_suggestion_{number}"


def _name(title: str, fallback: str) -> str:
    return (title or fallback)[:200]
