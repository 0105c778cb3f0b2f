"""The same nodes as a LangGraph: `python loop_langgraph.py RUNS none|memory|sqlite`, after its checkpointer."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from loop_script import STEPS, Script, beginning, measure

from tercet.loop.graph import build_graph, recursion_limit


async def main(runs: int, checkpointer: str) -> None:
    async with AsyncExitStack() as stack:
        saver: Any = None
        if checkpointer == "memory":
            saver = InMemorySaver()
        elif checkpointer == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=Path(__file__).parent))
            saver = await stack.enter_async_context(AsyncSqliteSaver.from_conn_string(f"{folder}/graph.db"))
        graph = build_graph(Script(), checkpointer=saver)
        threads = count()

        async def run() -> Any:
            config = {
                "recursion_limit": recursion_limit(STEPS),
                "configurable": {"thread_id": str(next(threads))},
            }
            return await graph.ainvoke(beginning(), config)

        await measure(run, runs)


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
