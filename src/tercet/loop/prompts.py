"""The prompts of a turn, from the state: the goal, what was tried, what is wanted now."""

from __future__ import annotations

from tercet.domain.codec import to_json
from tercet.executors.prompts import data_block
from tercet.loop.state import AgentState, step_at_hand


def planner_prompt(state: AgentState) -> str:
    """Return what the planner reads: after a failure with the failure's text and a digest of earlier attempts."""
    parts = [data_block("goal", state["goal"]), f"Executors: {', '.join(state['executors'])}."]
    output = state["executor_output"]
    if output is None:
        return "\n\n".join([*parts, "Make the plan."])
    parts.append(data_block("last plan", to_json([step["step"] for step in state["plan"]])))
    parts.append(data_block("earlier attempts", attempts_digest(state)))
    if output["success"]:
        parts.append(data_block("reviewer", state["feedback"] or "The plan does not lead to the goal."))
        why = "The reviewer wants another plan."
    else:
        parts.append(data_block("failure", output["output"]))
        why = "The last step failed."
    left = state["max_iters"] - state["iters"]
    return "\n\n".join([*parts, f"{why} Make a new plan for what is left to do; {left} turns are left."])


def executor_prompt(state: AgentState) -> str:
    """Return what the executor reads: the step, its place in the plan, the reviewer's feedback."""
    step, number = step_at_hand(state), state["current_step"] + 1
    parts = [
        data_block("goal", state["goal"]),
        data_block("earlier attempts", attempts_digest(state) or "none"),
    ]
    if state["feedback"]:
        parts.append(data_block("reviewer", state["feedback"]))
    parts.append(data_block(f"step {number} of {len(state['plan'])}", step["step"]))
    return "\n\n".join([*parts, "Do this step, and report."])


def reviewer_prompt(state: AgentState) -> str:
    """Return what the reviewer reads: the step, what became of it, what is still planned."""
    step, output = step_at_hand(state), state["executor_output"]
    assert output is not None
    following = [later["step"] for later in state["plan"][state["current_step"] + 1 :]]
    return "\n\n".join(
        [
            data_block("goal", state["goal"]),
            data_block("earlier attempts", attempts_digest(state)),
            data_block("step", step["step"]),
            data_block("report", output["output"]),
            data_block("steps still planned", to_json(following)),
            "Judge the step.",
        ]
    )


def attempts_digest(state: AgentState) -> str:
    """Return what was tried, a line an attempt."""
    lines = []
    for number, attempt in enumerate(state["attempts"], start=1):
        outcome = "done" if attempt["success"] else "failed"
        judged = f", {attempt['verdict']}" if attempt["verdict"] else ""
        lines.append(f"{number}. {attempt['step']} ({outcome}{judged}): {attempt['output']}")
    return "\n".join(lines)
