"""The same nodes and routes as a LangGraph, for whoever composes graphs; needs `tercet[langgraph]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tercet.domain.errors import InvalidSettings
from tercet.loop.nodes import NODES, Update
from tercet.loop.ports import LoopModel
from tercet.loop.routing import (
    END,
    route_after_advance,
    route_after_executor,
    route_after_planner,
    route_after_reviewer,
)
from tercet.loop.state import AgentState

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


def build_graph(model: LoopModel, **compile_options: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compile the loop; `compile_options` go to LangGraph, for example a checkpointer.

    Invoke it with `ainvoke(first_state(...), {"recursion_limit": recursion_limit(max_iters)})`. Raises
    InvalidSettings when LangGraph is not installed.
    """
    try:
        from langgraph.graph import StateGraph
    except ImportError as error:
        raise InvalidSettings("LangGraph is not installed", hint="pip install 'tercet[langgraph]'") from error
    graph: Any = StateGraph(AgentState)
    for name in NODES:
        graph.add_node(name, _bound(name, model))
    graph.set_entry_point("planner")
    graph.add_conditional_edges("planner", route_after_planner, ["executor", END])
    graph.add_conditional_edges("executor", route_after_executor, ["planner", "reviewer", END])
    graph.add_conditional_edges("reviewer", route_after_reviewer, ["advance", END])
    graph.add_conditional_edges("advance", route_after_advance, ["planner", "executor", END])
    compiled: CompiledStateGraph[Any, Any, Any, Any] = graph.compile(**compile_options)
    return compiled


def recursion_limit(max_iters: int) -> int:
    """Return a limit for LangGraph's own counter that the loop's cap always comes before."""
    return 4 * max_iters + 4


def _bound(name: str, model: LoopModel) -> Callable[[AgentState], Awaitable[Update]]:
    return partial(_run_node, name, model)


async def _run_node(name: str, model: LoopModel, state: AgentState) -> Update:
    # LangGraph takes an empty update for a mistake.
    return await NODES[name](state, model) or {"verdict": state["verdict"]}
