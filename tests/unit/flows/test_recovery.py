"""When another writer was first, or the store fails, an execution goes on from its rows."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

from tercet.testing.virtual_time import VirtualTimeLoop

ONE = """
name: one
events: [{name: job.sent}, {name: job.done, description: final}]
functions:
  - {name: work, trigger: {event: job.sent}, handler: "test:work", emits: [job.done], config: {timeout: 1d}}
"""


def test_an_attempt_is_refused_when_somebody_else_extended_its_log_and_a_new_one_finishes(
    flow, virtual, tmp_path
):
    runs: list[int] = []

    async def work(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        runs.append(ctx.attempt)
        if len(runs) == 1:
            # A second writer: what a node with a lost lease would do.
            other = sqlite3.connect(tmp_path / "tercet.db")
            other.execute(
                "INSERT INTO execution_events (execution_id, seq, event_type, name, message, at_ms)"
                " SELECT execution_id, max(seq) + 1, 'note', 'intruder', NULL, 1 FROM execution_events"
                " WHERE execution_id = ?",
                (ctx.execution_id,),
            )
            other.commit()
            other.close()
        await ctx.step("after", asyncio.sleep, 0, "x")
        return {"attempt": ctx.attempt}

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(60)
            await f.idle()

            assert (await f.execution(execution_id))["status"] == "COMPLETED"
            assert runs == [1, 2]
            assert await f.event_data(execution_id, "job.done") == [{"attempt": 2}]

    virtual(go())


def test_virtual_time_jumps_over_a_year_at_once():
    async def go() -> float:
        await asyncio.sleep(365 * 86_400)
        return asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        assert runner.run(go()) >= 365 * 86_400
