"""The durable driver on a node, every turn recorded on disk: `python loop_tercet.py RUNS`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import uvloop
from loop_script import Script, measure

from tercet.loop.config import LoopConfig
from tercet.loop.definition import LoopDefinition, drive_durably
from tercet.loop.standing import beginning
from tercet.settings import Settings
from tercet.wiring import open_tercet, settle_memory


async def run_scripted(self: LoopDefinition, context: Any) -> Any:
    """Do what LoopDefinition.run does, with the script in the place of the models."""
    at = beginning(context.event["data"], context.state.created_at_ms)
    return (await drive_durably(context, Script(), at)).state, []


LoopDefinition.run = run_scripted  # type: ignore[method-assign]  # the one thing that differs from production


async def main(runs: int) -> None:
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        async with open_tercet(Settings(_env_file=None, data_dir=Path(folder))) as node:
            config = LoopConfig(goal="Do the work", max_iters=12, tools=[])

            async def run() -> Any:
                execution_id = await node.loops.start(config, owner_id="local", source="bench")
                await node.runs.wait(execution_id)
                return (await node.runs.outcome(execution_id))["output"]

            await run()
            settle_memory()  # as `tercet serve` does when it is ready
            await measure(run, runs)


uvloop.run(main(int(sys.argv[1])))
