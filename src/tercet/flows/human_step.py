"""A declared human step's task: opens the approval, and emits what the decision leads to."""

from __future__ import annotations

from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tercet.domain.errors import NonRetryable
from tercet.engine.context import TaskContext
from tercet.engine.definition import Emission
from tercet.flows.emitting import carried
from tercet.manifest.condition import compile_expression
from tercet.manifest.humans import HumanStep

_TITLES = ImmutableSandboxedEnvironment()
_LONGEST_TITLE = 300


async def run_human(context: TaskContext, step: HumanStep) -> tuple[Any, list[Emission]]:
    """Wait for the decision; return it with its events."""
    data = context.event["data"]
    shown = {key: value for key, value in data.items() if key != "approval"}
    decision = await context.approval(_title(step, data), shown, step="decision", **_spec(context, step))
    return decision, _emissions(context, step, decision)


def _title(step: HumanStep, data: dict[str, Any]) -> str:
    if step.title is None:
        return step.description or step.name
    try:
        return _TITLES.from_string(step.title).render(**data)[:_LONGEST_TITLE] or step.name
    except TemplateError:
        return step.name


def _spec(context: TaskContext, step: HumanStep) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "instructions": step.instructions,
        "form": step.form,
        "editable": step.editable,
        "summary": step.summary,
        "options": step.options,
        "who": step.who.model_dump(),
        "reminders": None if step.reminders is None else step.reminders.model_dump(),
        "escalation": None if step.escalation is None else step.escalation.model_dump(),
        "timeout_seconds": step.timeout_seconds,
        "on_timeout": step.on_timeout,
        "max_rejections": step.max_rejections,
        "requested_by": context.event["data"].get("requested_by"),
    }
    if step.bundle is not None:
        spec["bundle_key"] = compile_expression(step.bundle.key).key(context.event)
        spec["bundle_window_seconds"] = step.bundle.window_seconds
        expects = step.bundle.expects
        spec["bundle_expects"] = (
            compile_expression(expects).evaluate(context.event) if isinstance(expects, str) else expects
        )
        if spec["bundle_expects"] is not None and not isinstance(spec["bundle_expects"], (int, float)):
            raise NonRetryable(f"bundle.expects of {step.name!r} gives no number")
    return {key: value for key, value in spec.items() if value is not None}


def _emissions(context: TaskContext, step: HumanStep, decision: dict[str, Any]) -> list[Emission]:
    outcome = decision["decision"]
    if outcome == "timeout" and decision.get("policy") in ("approve", "reject"):
        outcome = decision["policy"]
    out = []
    for emit in step.emits:
        if emit.on not in (outcome, "always"):
            continue
        if emit.when is not None and not compile_expression(emit.when).holds(context.event, decision):
            continue
        data = {**carried(emit, context.event), **decision["data"], "approval": _approval(decision)}
        if decision.get("feedback"):
            data["feedback"] = decision["feedback"]
        if decision.get("form"):
            data["form"] = decision["form"]
        if outcome == "revise":
            data["revision"] = int(data.get("revision") or 0) + 1
        out.append(Emission(name=emit.event, data=data, delay_seconds=emit.delay))
    return out


def _approval(decision: dict[str, Any]) -> dict[str, Any]:
    keys = ("approval_id", "item_id", "digest", "decision", "decided_by", "decided_at", "option")
    return {key: decision[key] for key in keys if decision.get(key) is not None}
