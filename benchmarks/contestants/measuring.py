"""Runs a contestant: warm-up, then so many runs at once, and prints its processor time a run as JSON.

It imports nothing but the standard library, because it runs in every contestant's environment.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable

QUESTION = "What is 15 + 27?"
INSTRUCTIONS = "You are a math expert. Use the calculator tool for arithmetic operations."
MAX_TOKENS = 1_024
_AT_ONCE = 8
_WARM_UP = 40


async def measure(run: Callable[[], Awaitable[str]], runs: int) -> None:
    """Run `run` and print {cpu_ms_per_run, wall_ms_per_run}. Raises AssertionError for a wrong answer."""
    await _many(run, _WARM_UP)
    cpu, wall = time.process_time(), time.perf_counter()
    await _many(run, runs)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    json.dump({"cpu_ms_per_run": cpu / runs * 1000, "wall_ms_per_run": wall / runs * 1000}, sys.stdout)


async def _many(run: Callable[[], Awaitable[str]], runs: int) -> None:
    left = iter(range(runs))

    async def worker() -> None:
        for _ in left:
            answer = await run()
            assert "42" in answer, answer

    await asyncio.gather(*(worker() for _ in range(_AT_ONCE)))
