"""openai-agents' Runner: `python openai_agents.py BASE_URL RUNS`."""

from __future__ import annotations

import asyncio
import sys

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from measuring import INSTRUCTIONS, MAX_TOKENS, QUESTION, measure
from openai import AsyncOpenAI


@function_tool
async def calculator(operation: str, a: float, b: float) -> dict[str, float]:
    """Performs arithmetic operations."""
    return {"result": a + b}


async def main(base_url: str, runs: int) -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI(api_key="bench", base_url=f"{base_url}/v1", max_retries=0)
    agent = Agent(
        name="Math", instructions=INSTRUCTIONS, tools=[calculator],
        model=OpenAIChatCompletionsModel(model="gpt-6-luna", openai_client=client),
        model_settings=ModelSettings(max_tokens=MAX_TOKENS),
    )  # fmt: skip

    async def run() -> str:
        return str((await Runner.run(agent, QUESTION)).final_output)

    await measure(run, runs)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
