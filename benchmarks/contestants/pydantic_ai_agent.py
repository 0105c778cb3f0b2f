"""pydantic-ai's Agent: `python pydantic_ai_agent.py BASE_URL RUNS`."""

from __future__ import annotations

import asyncio
import sys

from anthropic import AsyncAnthropic
from measuring import INSTRUCTIONS, MAX_TOKENS, QUESTION, measure
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider


async def main(base_url: str, runs: int) -> None:
    client = AsyncAnthropic(api_key="bench", base_url=base_url, max_retries=0)
    model = AnthropicModel("claude-haiku-5-5", provider=AnthropicProvider(anthropic_client=client))
    agent = Agent(model, instructions=INSTRUCTIONS, model_settings={"max_tokens": MAX_TOKENS})

    @agent.tool_plain
    async def calculator(operation: str, a: float, b: float) -> dict[str, float]:
        """Performs arithmetic operations."""
        return {"result": a + b}

    async def run() -> str:
        return str((await agent.run(QUESTION)).output)

    await measure(run, runs)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
