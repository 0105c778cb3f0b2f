"""The backend's policy: a pure function from a suggestion to what will happen. Constraints only get tighter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tercet.chat.decision import EXECUTOR_TYPES, Suggestion
from tercet.chat.library import TemplateLibrary
from tercet.domain.contract import Constraints
from tercet.domain.models import current_name
from tercet.domain.tool import Tool

_SURE = 0.5


class Limits(BaseModel):
    """What no suggestion can exceed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int = Field(default=4_096, ge=1)
    timeout_ms: int = Field(default=120_000, ge=1)
    models: tuple[str, ...] = ("sonnet", "haiku")
    """The first answers; the others are asked when it cannot."""
    executor_types: frozenset[str] = frozenset(EXECUTOR_TYPES)


class Verdict(BaseModel):
    """What the policy says: `approve` as suggested, `change`, `ask` a person, `clarify` with the user, `refuse`."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["approve", "change", "ask", "clarify", "refuse"]
    executor_type: str | None = None
    task: dict[str, Any] = Field(default_factory=dict)
    constraints: Constraints = Field(default_factory=Constraints)
    reasons: list[str] = Field(default_factory=list)
    message: str | None = None
    """For the user, with `clarify` and `refuse`."""
    pending: dict[str, Any] | None = None


def judge(
    suggestion: Suggestion,
    *,
    limits: Limits,
    library: TemplateLibrary,
    tools: Mapping[str, Tool],
    pending: Mapping[str, Any] | None = None,
) -> Verdict:
    """Judge a suggestion. `pending` is what an earlier question already knows."""
    if suggestion.action != "execute":
        return Verdict(verdict="approve", message=suggestion.message, pending=suggestion.pending)
    kind = suggestion.executor_type
    if kind not in limits.executor_types:
        return _refuse(f"the executor {kind!r} is not allowed", "That is something I cannot do here.")
    constraints, changes = tighten(suggestion.constraints, limits)
    if not constraints.allowed_models:
        return _refuse("none of the suggested models is allowed", "The model for this is not allowed here.")
    if kind == "template_engine":
        verdict = _judge_template(suggestion, library, pending)
    elif kind == "tool_call":
        verdict = _judge_tool(suggestion, tools)
    elif kind == "classifier":
        verdict = _judge_classifier(suggestion)
    else:
        verdict = _judge_llm(suggestion)
    if verdict.verdict in ("clarify", "refuse"):
        return verdict
    word = "change" if changes and verdict.verdict == "approve" else verdict.verdict
    return verdict.model_copy(
        update={
            "verdict": word, "executor_type": kind, "constraints": constraints, "reasons": [*verdict.reasons, *changes],
        }
    )  # fmt: skip


def tighten(wanted: Constraints, limits: Limits) -> tuple[Constraints, list[str]]:
    """Return the narrower of both for each constraint, and what of the suggestion had to change."""
    changes: list[str] = []
    allowed = {current_name(model) for model in limits.models}
    models = [model for model in wanted.allowed_models if current_name(model) in allowed]
    if len(models) < len(wanted.allowed_models):
        changes.append("models that are not allowed were left out")
    fields: dict[str, Any] = {
        "max_tokens": _narrower("max_tokens", wanted.max_tokens, limits.max_tokens, changes),
        "timeout_ms": _narrower("timeout_ms", wanted.timeout_ms, limits.timeout_ms, changes),
        "allowed_models": models if wanted.allowed_models else list(limits.models),
    }
    if wanted.temperature is not None:
        fields["temperature"] = wanted.temperature
    if wanted.max_cost_usd is not None:
        fields["max_cost_usd"] = wanted.max_cost_usd
    return Constraints(**fields), changes


def _narrower(name: str, wanted: int | None, limit: int, changes: list[str]) -> int:
    if wanted is None:
        return limit
    if wanted > limit:
        changes.append(f"{name} lowered from {wanted:,} to {limit:,}")
    return min(limit, wanted)


def _judge_template(
    suggestion: Suggestion, library: TemplateLibrary, pending: Mapping[str, Any] | None
) -> Verdict:
    task = suggestion.task
    template = library.get(task.template)
    if template is None:
        known = ", ".join(template.title for template in library.all)
        return _refuse(
            f"there is no template {task.template!r}", f"I have no such template. There are: {known}."
        )
    earlier = (pending or {}).get("variables") if (pending or {}).get("template") == template.name else None
    given = {**(earlier or {}), **task.input_variables}
    values, problems = template.fill(given)
    if problems:
        known_values = {name: given[name] for name in given if name in values}
        return Verdict(
            verdict="clarify", reasons=[f"{name} {problem}" for name, problem in problems.items()],
            message=template.question(problems), pending={"template": template.name, "variables": known_values},
        )  # fmt: skip
    return Verdict(
        verdict="approve",
        task={
            "task_type": "generate_template", "template": template.name, "template_format": template.format,
            "input_variables": values,
        },
    )  # fmt: skip


def _judge_tool(suggestion: Suggestion, tools: Mapping[str, Tool]) -> Verdict:
    task = suggestion.task
    tool = tools.get(task.tool or "")
    if tool is None:
        known = ", ".join(sorted(tools))
        return _refuse(f"there is no tool {task.tool!r}", f"I have no such tool. There are: {known}.")
    wanted = {"task_type": "call_tool", "tool": tool.name, "arguments": task.arguments}
    reasons = []
    if tool.requires_approval:
        reasons.append(f"the tool {tool.name!r} needs an approval")
    elif tool.side_effects if suggestion.source == "model" else tool.changes_world(task.arguments):
        # A document can talk a model into a harmless-looking call that carries something out.
        reasons.append(f"the tool {tool.name!r} has side effects")
    elif suggestion.confidence < _SURE:
        reasons.append(f"the decider is not sure ({suggestion.confidence:.0%})")
    return Verdict(verdict="ask" if reasons else "approve", task=wanted, reasons=reasons)


def _judge_classifier(suggestion: Suggestion) -> Verdict:
    task = suggestion.task
    text = task.text or task.prompt
    if len(set(task.labels)) < 2 or not text:
        return Verdict(
            verdict="clarify", reasons=["labels or text are missing"],
            message="Which text shall I classify, and which labels are there (at least two)?",
        )  # fmt: skip
    labels = list(dict.fromkeys(task.labels))
    return Verdict(
        verdict="approve", task={"task_type": "classify", "labels": labels, "text": text, "use_model": True}
    )


def _judge_llm(suggestion: Suggestion) -> Verdict:
    task = suggestion.task
    return Verdict(
        verdict="approve",
        task={
            "task_type": task.task_type or "answer", "prompt": task.prompt or "", "input_variables": task.input_variables,
        },
    )  # fmt: skip


def _refuse(reason: str, message: str) -> Verdict:
    return Verdict(verdict="refuse", reasons=[reason], message=message)
