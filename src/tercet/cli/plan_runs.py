"""`tercet plan start` and `follow`: executions of plans."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.markup import escape

from tercet.cli.client import Api, running_server, with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json
from tercet.cli.plan_tree import plan_tree_view

_LOOK_SECONDS = 1.0


def start(
    plan_id: Annotated[str, typer.Argument(metavar="PLAN_ID")],
    agents: Annotated[
        list[str], typer.Option("--agent", help="Who may take its work; repeat it. * for all agents.")
    ],
    key: Annotated[str | None, typer.Option("--key", help="The same key starts it once.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Start an execution of a plan; prints its id on stdout."""
    body = {"plan_id": plan_id, "agent_ids": agents, "idempotency_key": key}
    answer = with_api(data_dir, lambda api: api.call("POST", "/executions", body=body))
    if as_json:
        print_json(answer)
        return
    if answer["duplicate"]:
        typer.echo("it was started before with this key", err=True)
    for action in answer["unsupported_actions"]:
        typer.echo(f"no agent of it can do {action!r}: that waits until one can", err=True)
    typer.echo(answer["execution_id"])


def follow(
    execution_id: Annotated[str, typer.Argument(metavar="EXECUTION_ID")],
    once: Annotated[bool, typer.Option("--once", help="Print it as it is now.")] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the tree of a plan's execution until it ends. Exits 1 when it ended other than COMPLETED."""
    from tercet.settings import load_settings

    # Without a server nothing moves, so there is nothing to wait for.
    is_once = once or as_json or running_server(load_settings(data_dir=data_dir).data_dir) is None
    shown = with_api(data_dir, lambda api: _follow(api, execution_id, is_once=is_once))
    if as_json:
        print_json(shown)
    elif is_once or not console.is_terminal:
        console.print(plan_tree_view(shown))
    execution = shown["execution"]
    if execution["completed_at"] is not None and execution["status"] != "COMPLETED":
        raise typer.Exit(1)


async def _follow(api: Api, execution_id: str, *, is_once: bool) -> dict[str, Any]:
    path = f"/executions/{execution_id}/tree"
    shown: dict[str, Any] = await api.call("GET", path)
    if is_once:
        return shown
    live = Live(plan_tree_view(shown), console=console, refresh_per_second=4) if console.is_terminal else None
    told = ""
    with live or nullcontext():
        while True:
            if live is not None:
                live.update(plan_tree_view(shown))
            elif (line := _headline(shown)) != told:
                told = line
                console.print(escape(line))
            if shown["execution"]["completed_at"] is not None:
                return shown
            await asyncio.sleep(_LOOK_SECONDS)
            shown = await api.call("GET", path)


def _headline(shown: dict[str, Any]) -> str:
    execution = shown["execution"]
    words = [execution["status"], f"{execution['progress']['percent']} %", execution["status_message"] or ""]
    return "  ".join(words).rstrip()
