"""A process that runs one loop and kills itself at a given commit; what the crash test starts."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from tercet.domain.codec import to_json
from tercet.loop.config import LoopConfig
from tercet.settings import Settings
from tercet.store.listing import list_executions
from tercet.wiring import Tercet, open_tercet

CONFIG = LoopConfig(goal="Make two files", max_iters=6, tools=["Write"])


def main(folder: str, base_url: str, kill_at_commit: int | None) -> None:
    """Start the loop, or go on with the one that is there; die at the commit of this number."""
    asyncio.run(_run(Path(folder), base_url, kill_at_commit))


async def _run(folder: Path, base_url: str, kill_at_commit: int | None) -> None:
    settings = Settings(_env_file=None, data_dir=folder, anthropic_api_key="k", anthropic_base_url=base_url)
    async with open_tercet(settings) as node:
        commits = 0

        def count(_unit: Any) -> None:
            nonlocal commits
            commits += 1
            if commits == kill_at_commit:
                os.kill(os.getpid(), signal.SIGKILL)

        node.engine.commit_listeners.append(count)
        execution_id = await _execution(node)
        await node.runs.wait(execution_id)
        outcome = await node.runs.outcome(execution_id)
        (folder / "answer").write_text(to_json(outcome["output"]))


async def _execution(node: Tercet) -> str:
    rows = await node.reader.read(
        list_executions, owner_id="local", kind="loop", status=None, limit=1, before=None
    )
    if rows:
        return str(rows[0]["id"])
    return await node.loops.start(CONFIG, owner_id="local", source="test")
