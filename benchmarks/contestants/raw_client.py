"""The vendor's client and a loop by hand: `python raw_client.py BASE_URL RUNS`."""

from __future__ import annotations

import asyncio
import json
import sys

from anthropic import AsyncAnthropic
from measuring import INSTRUCTIONS, MAX_TOKENS, QUESTION, measure

TOOL = {
    "name": "calculator",
    "description": "Performs arithmetic operations.",
    "input_schema": {
        "type": "object",
        "properties": {"operation": {"type": "string"}, "a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["operation", "a", "b"],
    },
}


async def main(base_url: str, runs: int) -> None:
    client = AsyncAnthropic(api_key="bench", base_url=base_url, max_retries=0)

    async def run() -> str:
        messages = [{"role": "user", "content": QUESTION}]
        while True:
            answer = await client.messages.create(
                model="claude-haiku-5-5",
                max_tokens=MAX_TOKENS,
                system=INSTRUCTIONS,
                messages=messages,
                tools=[TOOL],
            )
            calls = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in answer.content if block.type == "text")
            messages.append({"role": "assistant", "content": answer.content})
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": json.dumps({"result": call.input["a"] + call.input["b"]}),
                }
                for call in calls
            ]
            messages.append({"role": "user", "content": results})

    await measure(run, runs)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
