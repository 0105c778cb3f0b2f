"""The planner–executor–reviewer loop: `run("a goal", max_iters=10)` (spec 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercet.loop.config import EXECUTOR_SYSTEM_PROMPT, LoopConfig
from tercet.loop.nodes import planner_node
from tercet.loop.routing import route_after_executor
from tercet.loop.state import AgentState, ExecutorOutput
from tercet.loop.tools import parse_executor_response, run_executor_turn

if TYPE_CHECKING:
    from typing import Any

    def run(goal: str, max_iters: int = ..., **options: Any) -> Any: ...

    async def arun(goal: str, max_iters: int = ..., **options: Any) -> AgentState: ...
else:

    def __getattr__(name: str) -> object:
        """Import `run` and `arun` from above: they open a whole node, which nodes and routes know nothing of."""
        if name not in ("run", "arun"):
            raise AttributeError(f"module 'tercet.loop' has no public name {name!r}")
        from importlib import import_module

        value = getattr(import_module("tercet.embedded_loop"), name)
        globals()[name] = value
        return value


__all__ = [
    "EXECUTOR_SYSTEM_PROMPT",
    "AgentState",
    "ExecutorOutput",
    "LoopConfig",
    "arun",
    "parse_executor_response",
    "planner_node",
    "route_after_executor",
    "run",
    "run_executor_turn",
]
