"""The plain driver and LangGraph go through the same states, script by script."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.loop.scripted import SCRIPTS, ScriptedModel, state

from tercet.loop.driving import drive
from tercet.loop.graph import build_graph, recursion_limit
from tercet.loop.state import AgentState

pytest.importorskip("langgraph", reason="LANGGRAPH IS NOT INSTALLED: pip install 'tercet[langgraph]'")


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
