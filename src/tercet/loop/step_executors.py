"""Who can do a step of the plan, by kind: each is a function of one turn. Wiring adds those of other faces."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import CallerError, CostLimitReached, HandlerFailed
from tercet.domain.schema_check import schema_violation
from tercet.engine.calls import ExecutorRefused
from tercet.engine.context import TaskContext
from tercet.loop.config import LoopConfig
from tercet.loop.state import ExecutorOutput, PlanStep
from tercet.loop.tools import LONGEST_OUTPUT

REPORT_EVENT = "loop.step.reported"
"""Ends the wait for a worker; its data are {work_id, success, output}."""
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

    @property
    def seconds_left(self) -> float | None:
        """How long somebody outside may take: until the loop's deadline, at least a second."""
        if self.config.deadline_seconds is None:
            return None
        passed_ms = self.context.engine.clock.now_ms() - self.context.state.created_at_ms
        return max(1.0, self.config.deadline_seconds - passed_ms / 1000)


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
    spec: dict[str, Any] = {} if form is None else {"form": form}
    if turn.seconds_left is not None:
        spec["timeout_seconds"] = turn.seconds_left
    decision = await turn.context.approval(
        turn.step["step"][:_LONGEST_TITLE], {"goal": turn.config.goal, "step": turn.step["step"]},
        step=f"{turn.prefix}person", **spec,
    )  # fmt: skip
    said = {key: decision[key] for key in ("form", "feedback", "option") if decision.get(key)}
    who = decision.get("decided_by") or "nobody"
    if decision["decision"] == "approve":
        return ExecutorOutput(success=True, output=f"{who} did it" + (f": {to_json(said)}" if said else ""))
    return failed(f"{who} decided: {decision['decision']}" + (f": {to_json(said)}" if said else ""))


CallFunction = Callable[[TaskContext, str, str, dict[str, Any]], Awaitable[Any]]
"""(context, manifest, function, data) → the function's result. The context has step names of its own."""


def function_executor(call: CallFunction) -> StepExecutor:
    """Return the executor of `function:MANIFEST/NAME`: a manifest's function does the step, without a model."""

    async def run(turn: StepTurn) -> ExecutorOutput:
        manifest, _, function = turn.target.partition("/")
        arguments = turn.step["options"].get("arguments", {})
        if not isinstance(arguments, dict):
            return failed("the function's arguments have to be an object")
        data = {"goal": turn.config.goal, "step": turn.step["step"], **arguments}
        inner = turn.context.within(turn.prefix, {"name": "loop.step", "data": data}, {})
        try:
            result = await call(inner, manifest, function, data)
        except (HandlerFailed, CallerError) as error:
            raise_if_spent(error)
            return failed(str(error))
        if isinstance(result, dict) and result.get("success") is False:
            return failed(to_json(result))
        return ExecutorOutput(success=True, output=to_json(result)[:LONGEST_OUTPUT])

    return run


HandOver = Callable[[StepTurn, str], Awaitable[None]]
"""(turn, work_id): offer the step to agent workers. May be called again with the same id after a crash."""


def worker_executor(hand_over: HandOver) -> StepExecutor:
    """Return the executor of `worker:NAME`: an outside process does the step and reports with REPORT_EVENT.

    The loop leaves memory meanwhile. Whoever takes the report lets the event join the loop's execution.
    """

    async def run(turn: StepTurn) -> ExecutorOutput:
        work_id = f"{turn.context.task_id}:{turn.prefix.rstrip('/')}"

        async def offer() -> str:
            await hand_over(turn, work_id)
            return work_id

        offered: str = await turn.context.step(f"{turn.prefix}handed-over", offer)
        event = await turn.context.wait_for_event(
            REPORT_EVENT, match=f"data.work_id == {to_json(offered)}", step=f"{turn.prefix}report",
            timeout=turn.seconds_left,
        )  # fmt: skip
        if event is None:
            return failed("no worker reported in time")
        report = event["data"]
        success, output = report.get("success"), report.get("output")
        if not isinstance(success, bool) or not isinstance(output, str):
            return failed("the worker's report lacks 'success' or 'output'")
        return ExecutorOutput(success=success, output=output[:LONGEST_OUTPUT])

    return run


def raise_if_spent(error: Exception) -> None:
    """Raise CostLimitReached when the budget is what stopped a call: then the loop ends, not the step alone."""
    if isinstance(error, ExecutorRefused) and error.error_type == "COST_LIMIT_REACHED":
        raise CostLimitReached(error.message) from error


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
