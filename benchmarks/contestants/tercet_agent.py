"""A registered agent on a node, with guard, ledger and journal: `python tercet_agent.py BASE_URL RUNS`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from measuring import INSTRUCTIONS, MAX_TOKENS, QUESTION, measure

from tercet.agent.config import AgentConfig
from tercet.settings import Settings
from tercet.wiring import open_tercet, settle_memory


async def main(base_url: str, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            _env_file=None, data_dir=Path(folder), anthropic_api_key="bench", anthropic_base_url=base_url
        )
        config = AgentConfig.model_validate(
            {
                "name": "Math", "instructions": INSTRUCTIONS, "model": "haiku", "tools": {"calculator": True},
                "limits": {"max_tokens": MAX_TOKENS},
            }
        )  # fmt: skip
        async with open_tercet(settings) as node:
            agent = await node.agents.create(config, owner_id="local")

            async def run() -> str:
                execution_id = await node.runs.start(agent, QUESTION, source="bench")
                await node.runs.wait(execution_id)
                outcome = await node.runs.outcome(execution_id)
                return str(outcome["output"]["response"])

            await run()
            settle_memory()  # as `tercet serve` does when it is ready
            await measure(run, runs)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
