"""The executor's turn: what the model says becomes an outcome, whatever it says (spec 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tercet.domain.errors import AgentFailed, TercetError
from tercet.domain.tool import ToolFailed
from tercet.loop.ports import LoopModel
from tercet.loop.prompts import executor_prompt
from tercet.loop.state import VERDICTS, AgentState, ExecutorOutput, PlanStep, Verdict, step_at_hand

LONGEST_OUTPUT = 20_000
_MOST_STEPS = 50
_MOST_CANDIDATES = 200
_decoder = json.JSONDecoder()


def parse_executor_response(text: str) -> ExecutorOutput:
    """Return the outcome that an executor's answer states; anything that is none is a failure.

    JSON inside prose counts: the first object with both `success` and `output`.
    """
    if not text.strip():
        return _failure("the executor gave no answer")
    found = first_object(text, "success", "output")
    if found is None:
        partial = next(objects_in(text), None)
        if partial is None:
            return _failure(f"the executor's answer is not JSON: {text[:500]}")
        missing = " and ".join(repr(key) for key in ("success", "output") if key not in partial)
        return _failure(f"the executor's answer lacks {missing}: {text[:500]}")
    success, output = found["success"], found["output"]
    if not isinstance(success, bool):
        return _failure(f"'success' of the executor's answer is {success!r}, not true or false")
    if not isinstance(output, str):
        return _failure(f"'output' of the executor's answer is no text: {json.dumps(output)[:500]}")
    return ExecutorOutput(success=success, output=output[:LONGEST_OUTPUT])


async def run_executor_turn(state: AgentState, model: LoopModel) -> ExecutorOutput:
    """Have the step at hand done. Whatever the executor or its tools raise is a failure of the step.

    Limits and lost claims are not: they end or repeat the turn, and are raised.
    """
    try:
        answer = await model.act(step_at_hand(state), executor_prompt(state))
    except (AgentFailed, ToolFailed) as error:
        return _failure(str(error))
    except TercetError:
        raise
    except Exception as error:
        return _failure(f"{type(error).__name__}: {error}")
    return parse_executor_response(answer) if isinstance(answer, str) else answer


def parse_plan(text: str, executors: list[str]) -> list[PlanStep] | None:
    """Return the plan that a planner's answer states, or None when it states none."""
    found = first_object(text, "plan")
    steps = found["plan"] if found is not None else None
    if not isinstance(steps, list) or not 1 <= len(steps) <= _MOST_STEPS:
        return None
    plan = [_to_step(step, executors) for step in steps]
    return None if None in plan else [step for step in plan if step is not None]


def one_step_plan(goal: str, executors: list[str]) -> list[PlanStep]:
    """Return the plan of a planner that gave none: do it."""
    return [PlanStep(step=goal, executor=executors[0], options={})]


def parse_review(text: str) -> tuple[Verdict, str]:
    """Return (verdict, feedback) of a reviewer's answer; what cannot be read means retry."""
    found = first_object(text, "verdict")
    named = found["verdict"] if found is not None else None
    verdict = next((known for known in VERDICTS if known == named), None)
    if found is None or verdict is None:
        return "retry", "the reviewer's answer could not be read; do the step again and report it in full"
    feedback = found.get("feedback", "")
    return verdict, feedback[:LONGEST_OUTPUT] if isinstance(feedback, str) else ""


def first_object(text: str, *keys: str) -> dict[str, Any] | None:
    """Return the first JSON object in the text that has all keys, or None."""
    return next((found for found in objects_in(text) if all(key in found for key in keys)), None)


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, outermost first."""
    at = -1
    for _ in range(_MOST_CANDIDATES):
        at = text.find("{", at + 1)
        if at < 0:
            return
        try:
            value, _end = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield value


def _to_step(given: Any, executors: list[str]) -> PlanStep | None:
    if isinstance(given, str):
        given = {"step": given}
    if not isinstance(given, dict):
        return None
    step, executor = given.get("step"), given.get("executor", executors[0])
    options = given.get("options", {})
    if not isinstance(step, str) or not step.strip() or executor not in executors:
        return None
    if not isinstance(options, dict):
        return None
    return PlanStep(step=step.strip()[:LONGEST_OUTPUT], executor=executor, options=options)


def _failure(output: str) -> ExecutorOutput:
    return ExecutorOutput(success=False, output=output[:LONGEST_OUTPUT])
