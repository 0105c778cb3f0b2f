"""The four nodes: each reads the state, asks its role through the port, and returns the fields that it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from tercet.domain.codec import digest
from tercet.domain.errors import CostLimitReached
from tercet.loop.ports import LoopModel
from tercet.loop.prompts import planner_prompt, reviewer_prompt
from tercet.loop.state import AgentState, Attempt, PlanStep, Reason, step_at_hand
from tercet.loop.tools import one_step_plan, parse_plan, parse_review, run_executor_turn

Update = dict[str, Any]
Node = Callable[[AgentState, LoopModel], Awaitable[Update]]
_MOST_ATTEMPTS = 20
_LONGEST_ATTEMPT = 600


def ended(reason: Reason, message: str) -> Update:
    """Return the update that ends the loop."""
    return {"reason": reason, "message": message}


def _within_limits(node: Node) -> Node:
    """End the loop, with a reason, where the budget or the deadline ends the turn."""

    @wraps(node)
    async def limited(state: AgentState, model: LoopModel) -> Update:
        try:
            if state["deadline_at_ms"] is None:
                return await node(state, model)
            left_seconds = (state["deadline_at_ms"] - model.now_ms()) / 1000
            if left_seconds <= 0:
                return ended("deadline", "the deadline has passed")
            timeout = asyncio.timeout(left_seconds)
            try:
                async with timeout:
                    return await node(state, model)
            except TimeoutError:
                if not timeout.expired():
                    raise
                return ended("deadline", "the deadline passed during a turn")
        except CostLimitReached as error:
            return ended("budget", error.message)

    return limited


@_within_limits
async def planner_node(state: AgentState, model: LoopModel) -> Update:
    """Make a plan; one that was there before ends the loop, because it would lead to the same place."""
    answer = await model.ask("planner", planner_prompt(state))
    plan = parse_plan(answer, state["executors"]) or one_step_plan(state["goal"], state["executors"])
    seen = plan_digest(plan)
    if seen in state["plans_seen"]:
        return {"plan": plan, **ended("same_plan", "the planner made the same plan twice")}
    return {
        "plan": plan,
        "current_step": 0,
        "verdict": None,
        "feedback": "",
        "plans_seen": [*state["plans_seen"], seen],
    }


@_within_limits
async def executor_node(state: AgentState, model: LoopModel) -> Update:
    """Have the step at hand done and count the turn, whatever came of it."""
    output = await run_executor_turn(state, model)
    iters = state["iters"] + 1
    attempt = Attempt(
        step=step_at_hand(state)["step"][:_LONGEST_ATTEMPT], success=output["success"],
        output=output["output"][:_LONGEST_ATTEMPT], verdict=None,
    )  # fmt: skip
    update: Update = {
        "executor_output": output,
        "iters": iters,
        "verdict": None,
        "attempts": [*state["attempts"], attempt][-_MOST_ATTEMPTS:],
    }
    if not output["success"] and iters >= state["max_iters"]:
        update |= _capped(state)
    return update


@_within_limits
async def reviewer_node(state: AgentState, model: LoopModel) -> Update:
    """Judge the step that was just done."""
    verdict, feedback = parse_review(await model.ask("reviewer", reviewer_prompt(state)))
    judged = {**state["attempts"][-1], "verdict": verdict}
    return {"verdict": verdict, "feedback": feedback, "attempts": [*state["attempts"][:-1], judged]}


async def advance_node(state: AgentState, model: LoopModel | None = None) -> Update:
    """Carry out the verdict."""
    return advance(state)


def advance(state: AgentState) -> Update:
    """Return what the verdict means: the next step, the same one, another plan, or the end."""
    verdict = state["verdict"]
    is_last = state["current_step"] + 1 >= len(state["plan"])
    if verdict == "finish" or (verdict == "continue" and is_last):
        return ended("finished", "the goal is reached" if verdict == "finish" else "every step is done")
    if state["iters"] >= state["max_iters"]:
        return _capped(state)
    if verdict == "continue":
        return {"current_step": state["current_step"] + 1, "feedback": ""}
    return {}


NODES: Mapping[str, Node] = {
    "planner": planner_node,
    "executor": executor_node,
    "reviewer": reviewer_node,
    "advance": advance_node,
}


def plan_digest(plan: list[PlanStep]) -> str:
    """Return what two equal plans have in common; spacing and letter case do not count."""
    return digest(
        [[" ".join(step["step"].lower().split()), step["executor"], step["options"]] for step in plan]
    )


def _capped(state: AgentState) -> Update:
    return ended("max_iters", f"the cap of {state['max_iters']} turns is reached")
