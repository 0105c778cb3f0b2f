"""Handlers that write every run of every step to a file of their own, outside the database."""

from __future__ import annotations

import os
from typing import Any


def note(task_id: str, step: str) -> str:
    """Append a line for this run; the result names the run."""
    run = f"{os.getpid()}-{os.urandom(6).hex()}"
    descriptor = os.open(os.environ["CRASH_RUNS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{task_id} {step} {run}\n".encode())
    os.close(descriptor)
    return run


async def anote(task_id: str, step: str) -> str:
    return note(task_id, step)


async def split(event: dict[str, Any], ctx: Any) -> None:
    for index in range(2):
        await ctx.step(f"half-{index}", anote, ctx.task_id, f"half-{index}")
        ctx.emit("job.halved", {"job_id": event["data"]["job_id"], "half": index})


async def work(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    await ctx.step("first", anote, ctx.task_id, "first")
    await ctx.sleep(0.02)
    run = await ctx.step("second", note, ctx.task_id, "second")
    return {"run": run}


async def join(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    await ctx.step("sum", anote, ctx.task_id, "sum")
    return {"job_id": event["data"]["key"], "halves": len(event["data"]["events"]["job.halved"])}
