"""Where a loop goes next: pure functions of the state (spec 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tercet.loop.state import AgentState

END = "__end__"
"""What LangGraph calls the end, too."""


def route_after_planner(state: AgentState) -> str:
    """Go to the executor, unless the planner had nothing new."""
    return END if state["reason"] else "executor"


def route_after_executor(state: AgentState) -> str:
    """Go straight to the planner after a failure: nobody has to interpret it. Else to the reviewer."""
    if state["reason"]:
        return END
    output = state["executor_output"]
    if output is not None and output["success"] is False:
        return "planner"
    return "reviewer"


def route_after_reviewer(state: AgentState) -> str:
    """Have the verdict carried out."""
    return END if state["reason"] else "advance"


def route_after_advance(state: AgentState) -> str:
    """Go on with the next step or the same one, or to the planner for another plan."""
    if state["reason"]:
        return END
    return "planner" if state["verdict"] == "replan" else "executor"


ROUTES: Mapping[str, Callable[[AgentState], str]] = {
    "planner": route_after_planner,
    "executor": route_after_executor,
    "reviewer": route_after_reviewer,
    "advance": route_after_advance,
}
