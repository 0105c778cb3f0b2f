"""The plain driver: the same nodes and routes in a `while` loop, without any store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tercet.loop.nodes import NODES
from tercet.loop.ports import LoopModel
from tercet.loop.routing import END, ROUTES
from tercet.loop.state import AgentState, merge

FIRST_NODE = "planner"


async def drive(
    state: AgentState,
    model: LoopModel,
    *,
    on_turn: Callable[[str, AgentState], Any] | None = None,
) -> AgentState:
    """Run to the end; `on_turn` hears of every node with the state after it."""
    node = FIRST_NODE
    while node != END:
        state = merge(state, await NODES[node](state, model))
        if on_turn is not None:
            on_turn(node, state)
        node = ROUTES[node](state)
    return state
