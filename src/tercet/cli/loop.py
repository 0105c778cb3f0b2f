"""`tercet loop`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tercet.cli.options import AsJson, DataDir


def loop(
    goal: Annotated[
        str | None, typer.Argument(metavar="GOAL", help="What to reach.", show_default=False)
    ] = None,
    max_iters: Annotated[
        int | None, typer.Option("--max-iters", min=1, help="The most executor turns.")
    ] = None,
    budget_usd: Annotated[float | None, typer.Option("--budget-usd", min=0, help="The most dollars.")] = None,
    deadline_seconds: Annotated[float | None, typer.Option("--deadline-seconds", min=0)] = None,
    workspace: Annotated[
        Path | None, typer.Option("--workspace", help="The folder to work in.", exists=True, file_okay=False)
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="haiku, sonnet, opus, …")] = None,
    executor: Annotated[
        list[str] | None,
        typer.Option("--executor", help="agent, agent:NAME, human, function:MANIFEST/NAME, …; repeat it."),
    ] = None,
    tool: Annotated[
        list[str] | None, typer.Option("--tool", help="A tool of the loop's agent; repeat it.")
    ] = None,
    approve: Annotated[str, typer.Option("--approve", help="ask, all or none")] = "ask",
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="EXECUTION_ID", help="Go on with a loop.")
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Plan, execute and review in this process until the goal is reached. Exits 0 only then."""
    import asyncio

    from tercet.cli.loop_command import run_loop

    fields: dict[str, Any] = {
        "max_iters": max_iters, "budget_usd": budget_usd, "deadline_seconds": deadline_seconds, "model": model,
        "executors": executor or None, "tools": tool or None,
    }  # fmt: skip
    given = {name: value for name, value in fields.items() if value is not None}
    sys.exit(
        asyncio.run(
            run_loop(
                goal, given, workspace=workspace, approve=approve, resume=resume, data_dir=data_dir, as_json=as_json
            )
        )
    )  # fmt: skip
