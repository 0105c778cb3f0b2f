"""The script that all loop drivers run: twelve steps, each done and judged at once. What is left is the driver.

The nodes, routes and prompts are Tercet's own in every contestant, so only what drives them differs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tercet.loop.state import AgentState, first_state

STEPS = 12
TURNS = 1 + 2 * STEPS
"""The plan, then an executor and a reviewer turn a step."""
_PLAN = json.dumps({"thought": "t", "plan": [f"step {number} of the work" for number in range(STEPS)]})
_DONE = json.dumps(
    {"thought": "t", "success": True, "output": "the step is done, as the tool's answer shows"}
)
_JUDGED = json.dumps({"thought": "t", "verdict": "continue", "feedback": "go on"})
_WARM_UP = 3


class Script:
    """Answers at once."""

    turn = ""

    async def ask(self, role: str, prompt: str) -> str:
        """See LoopModel."""
        return _PLAN if role == "planner" else _JUDGED

    async def act(self, step: Any, prompt: str) -> str:
        """See LoopModel."""
        return _DONE

    def now_ms(self) -> int:
        """See LoopModel."""
        return 0


def beginning() -> AgentState:
    """Return the state that every run begins with."""
    return first_state("Do the work", max_iters=STEPS, executors=["agent"])


async def measure(run: Callable[[], Awaitable[Any]], runs: int) -> None:
    """Run one after the other and print {cpu_ms_per_turn, wall_ms_per_turn}. Raises AssertionError for a wrong end."""
    for _ in range(_WARM_UP):
        await run()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(runs):
        end = await run()
        assert (end["reason"], end["iters"]) == ("finished", STEPS), end
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    turns = runs * TURNS
    json.dump({"cpu_ms_per_turn": cpu / turns * 1000, "wall_ms_per_turn": wall / turns * 1000}, sys.stdout)
