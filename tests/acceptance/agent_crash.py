"""A process that runs one agent and kills itself at a given commit; what the crash test starts."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from tercet.agent.config import AgentConfig
from tercet.domain.errors import TercetError
from tercet.settings import Settings
from tercet.store.listing import list_executions
from tercet.tools.base import ToolBase
from tercet.wiring import Tercet, open_tercet

INPUT = "run the errands"
CONFIG: dict[str, Any] = {
    "name": "Errands",
    "model": "haiku",
    "tools": {"stamp": True, "calculator": True},
    "custom_tools": {"stamp": {"class": "StampTool"}},
}


class StampTool(ToolBase):
    """Has a side effect that can be counted from outside."""

    def __init__(self) -> None:
        super().__init__(name="stamp", description="Stamps.", input_schema={"type": "object"})

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        with Path(os.environ["STAMPS"]).open("a") as file:
            file.write(f"{arguments.get('n')}\n")
        return {"stamped": arguments.get("n")}


def main(folder: str, base_url: str, stamps: str, kill_at_commit: int | None) -> None:
    """Start the run, or go on with the one that is there; die at the commit of this number."""
    os.environ["STAMPS"] = stamps
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
        try:
            outcome: dict[str, Any] = await node.runs.outcome(execution_id)
            answer = outcome["output"]["response"]
        except TercetError as error:
            answer = f"{error.code}: {error.message}"
        (folder / "answer").write_text(answer)


async def _execution(node: Tercet) -> str:
    rows = await node.reader.read(
        list_executions, owner_id="local", kind=None, status=None, limit=1, before=None
    )
    if rows:
        return str(rows[0]["id"])
    agent = await node.agents.create(AgentConfig.model_validate(CONFIG), owner_id="local")
    return await node.runs.start(agent, INPUT, source="test")
