"""The plain driver and LangGraph go through the same states, script by script."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.loop.scripted import ScriptedModel, did, failed, judged, planned, state

from tercet.domain.errors import CostLimitReached
from tercet.loop.driving import drive
from tercet.loop.graph import build_graph, recursion_limit
from tercet.loop.state import AgentState

pytest.importorskip("langgraph", reason="LANGGRAPH IS NOT INSTALLED: pip install 'tercet[langgraph]'")

_MANY_PLANS = [planned(f"{n}.1", f"{n}.2") for n in range(50)]
SCRIPTS: dict[str, dict[str, Any]] = {
    "to the end": {"planner": [planned("a", "b", "c")]},
    "finish early": {"planner": [planned("a", "b")], "reviewer": [judged("finish")]},
    "failure and another plan": {"planner": _MANY_PLANS, "executor": [failed(), did()]},
    "always failing": {"planner": _MANY_PLANS, "executor": [failed()]},
    "same plan twice": {"executor": [failed()]},
    "retry": {"reviewer": [judged("retry", "again"), judged("continue")]},
    "retry for ever": {"reviewer": [judged("retry")]},
    "replan": {"planner": _MANY_PLANS, "reviewer": [judged("replan"), judged("continue")]},
    "nothing can be read": {"planner": ["?"], "executor": ["?"], "reviewer": ["?"]},
    "review cannot be read": {"reviewer": ["?"]},
    "a tool raises": {"planner": _MANY_PLANS, "executor": [RuntimeError("boom"), did()]},
    "the budget is spent": {"planner": _MANY_PLANS, "executor": [did(), CostLimitReached("spent")]},
    "the deadline passes": {"planner": _MANY_PLANS, "ms_a_call": 1_000},
}


@pytest.mark.parametrize("name", SCRIPTS)
async def test_both_drivers_go_through_the_same_states(name: str):
    begin = state(max_iters=6, deadline_at_ms=5_500 if "deadline" in name else None)
    plain: list[tuple[str, AgentState]] = []
    ours, theirs = ScriptedModel(**SCRIPTS[name]), ScriptedModel(**SCRIPTS[name])

    await drive(begin, ours, on_turn=lambda node, at: plain.append((node, at)))
    graph: list[tuple[str, AgentState]] = []
    node = ""
    streamed: Any = build_graph(theirs).astream(
        begin, {"recursion_limit": recursion_limit(6)}, stream_mode=["updates", "values"]
    )
    async for mode, part in streamed:
        if mode == "updates":
            [node] = part
        elif node:
            graph.append((node, part))

    assert graph == plain
    assert ours.prompts == theirs.prompts


async def test_the_graph_draws_the_direct_edge_from_executor_to_planner():
    drawn = build_graph(ScriptedModel()).get_graph()

    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {("executor", "planner"), ("executor", "reviewer"), ("advance", "planner")} <= edges
