"""The command tree. Commands import what they need when they run, so that `--help` is quick."""

from __future__ import annotations

import sys

import typer

from tercet.cli import (
    agents,
    chat,
    custody,
    executions,
    inbox,
    loop,
    manifests,
    operations,
    plan_runs,
    plans,
    running,
    tools,
    webhooks,
)
from tercet.domain.errors import TercetError

app = typer.Typer(
    name="tercet",
    help="Runs work that is shared by agents, humans and code.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(manifests.app, name="manifest")
plans.app.command("start")(plan_runs.start)
plans.app.command("follow")(plan_runs.follow)
app.add_typer(plans.app, name="plan")
app.add_typer(agents.app, name="agent")
app.add_typer(executions.app, name="executions")
app.add_typer(inbox.app, name="inbox")
app.add_typer(operations.token_app, name="token")
app.add_typer(operations.costs_app, name="costs")
app.add_typer(tools.app, name="tools")
app.add_typer(custody.keys_app, name="keys")
app.add_typer(custody.archive_app, name="archive")
app.command("export")(custody.export)
app.add_typer(webhooks.app, name="webhook")
app.command("run")(running.run)
app.command("loop")(loop.loop)
app.command("serve")(running.serve)
app.command("chat")(chat.chat)
app.command("emit")(executions.emit)
app.command("mock-claude")(operations.mock_claude)
app.command("settings")(operations.show_settings)


@app.callback(invoke_without_command=True)
def _root(show_version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if show_version:
        from importlib.metadata import version as installed_version

        typer.echo(f"tercet {installed_version('tercet')}")
        raise typer.Exit


def run() -> None:
    """Run a command; a known error ends in one line on stderr, never in a traceback."""
    try:
        app()
    except TercetError as error:
        typer.secho(f"error: {error.message}", fg="red", err=True)
        if error.hint:
            typer.echo(f"  hint: {error.hint}", err=True)
        for entry in error.detail[:50]:
            place = f"{entry['file']}:{entry['line']}:{entry['column']} " if "file" in entry else ""
            typer.echo(
                f"  {place}{entry.get('rule', '')}: {entry.get('message', entry.get('field', ''))}", err=True
            )
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("interrupted; what was committed stays", err=True)
        sys.exit(130)
