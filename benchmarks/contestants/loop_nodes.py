"""The nodes alone, in a plain `while` loop: `python loop_nodes.py RUNS`. What the others take beyond this is theirs."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from loop_script import Script, beginning, measure

from tercet.loop.driving import drive


async def run() -> Any:
    return await drive(beginning(), Script())


asyncio.run(measure(run, int(sys.argv[1])))
