"""`tercet agent`: the processes that take plans' work."""

from __future__ import annotations

from typing import Annotated

import typer

from tercet.cli.client import with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import print_json

app = typer.Typer(help="Register agent workers.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `register` a command of its own, also while it is the only one."""


@app.command()
def register(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    capabilities: Annotated[
        list[str], typer.Option("--capability", help="An action that it can do; repeat it. * for all.")
    ],
    agent_id: Annotated[str | None, typer.Option("--id", help="Its id; by default one is made.")] = None,
    role: Annotated[str, typer.Option(help="What it is, for people.")] = "",
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Register an agent worker; prints its id and its key on stdout. The key is shown once."""
    body = {"name": name, "role": role, "capabilities": capabilities}
    if agent_id is not None:
        body["agent_id"] = agent_id
    answer = with_api(data_dir, lambda api: api.call("POST", "/agents/register", body=body))
    if as_json:
        print_json(answer)
        return
    typer.echo(answer["agent_id"])
    typer.echo(answer["api_key"])
    typer.echo("the second line is its key; it is not shown again", err=True)
