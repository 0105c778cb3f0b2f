"""Who can do a step of the plan, by kind: each is a function of one turn. Wiring adds those of other faces."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tercet.domain.codec import from_json, to_json
from tercet.domain.schema_check import schema_violation
from tercet.engine.context import TaskContext
from tercet.loop.config import LoopConfig
from tercet.loop.state import ExecutorOutput, PlanStep
from tercet.loop.tools import LONGEST_OUTPUT

_LONGEST_TITLE = 200


@dataclass(frozen=True, kw_only=True)
class StepTurn:
    """One turn of a step: what to do, for whom, and where to record."""

    context: TaskContext
    config: LoopConfig
    step: PlanStep
    target: str
    """What follows the kind: `NAME` of `agent:NAME`; empty for the kind alone."""
    prompt: str
    prefix: str
    """For the names of the turn's own steps, which have to differ from those of all other turns."""


StepExecutor = Callable[[StepTurn], Awaitable[str | ExecutorOutput]]
"""Returns a model's answer as text, or an outcome."""


@dataclass(kw_only=True)
class StepExecutors:
    """Executors by kind. A loop may name only those that are here."""

    by_kind: dict[str, StepExecutor] = field(default_factory=dict)

    def add(self, kind: str, executor: StepExecutor) -> None:
        """Add one; a second one of a kind takes its place."""
        self.by_kind[kind] = executor

    async def run(self, turn: StepTurn) -> str | ExecutorOutput:
        """Have the step done."""
        kind = turn.step["executor"].partition(":")[0]
        executor = self.by_kind.get(kind)
        if executor is None:
            known = ", ".join(sorted(self.by_kind))
            return failed(f"nobody here does steps of the kind {kind!r}; known: {known}")
        return await executor(turn)


def failed(output: str) -> ExecutorOutput:
    """Return the outcome of a step that was not done."""
    return ExecutorOutput(success=False, output=output[:LONGEST_OUTPUT])


async def ask_person(turn: StepTurn) -> ExecutorOutput:
    """Ask people: approving means that the step is done. The loop leaves memory until somebody decides."""
    form = _usable_form(turn.step)
    spec = {} if form is None else {"form": form}
    decision = await turn.context.approval(
        turn.step["step"][:_LONGEST_TITLE], {"goal": turn.config.goal, "step": turn.step["step"]},
        step=f"{turn.prefix}person", **spec,
    )  # fmt: skip
    said = {key: decision[key] for key in ("form", "feedback", "option") if decision.get(key)}
    who = decision.get("decided_by") or "nobody"
    if decision["decision"] == "approve":
        return ExecutorOutput(success=True, output=f"{who} did it" + (f": {to_json(said)}" if said else ""))
    return failed(f"{who} decided: {decision['decision']}" + (f": {to_json(said)}" if said else ""))


def _usable_form(step: PlanStep) -> dict[str, object] | None:
    """Return the planner's form, or None when it is no schema: a person can still answer in words."""
    form = step["options"].get("form")
    if not isinstance(form, dict):
        return None
    try:
        schema_violation(from_json(to_json(form)), {})
    except (TypeError, ValueError):
        return None
    return form
