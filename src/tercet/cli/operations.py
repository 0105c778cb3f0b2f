"""`tercet token`, `costs`, `mock-claude`, `settings`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tercet.cli.client import with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, table

costs_app = typer.Typer(invoke_without_command=True)
token_app = typer.Typer(help="Create, list and revoke tokens.", no_args_is_help=True)


@token_app.command("create")
def create_token(
    user: Annotated[str, typer.Argument()],
    role: Annotated[str, typer.Option(help="owner, admin, member, viewer or agent")] = "member",
    data_dir: DataDir = None,
) -> None:
    """Create a token. It is shown once."""
    answer = with_api(data_dir, lambda api: api.call("POST", "/tokens", body={"user": user, "role": role}))
    typer.echo(answer["token"])
    typer.echo(f"{answer['token_id']} for {user} ({role}); it is not shown again", err=True)


@token_app.command("list")
def list_tokens(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List tokens."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/tokens"))
    if as_json:
        print_json(answer)
        return
    out = table(None, "token", "user", "role", "created", "revoked")
    for item in answer["items"]:
        out.add_row(
            item["token_id"], escape(item["user"]), item["role"], item["created_at"], item["revoked_at"] or ""
        )
    console.print(out)


@token_app.command("revoke")
def revoke_token(token_id: Annotated[str, typer.Argument()], data_dir: DataDir = None) -> None:
    """End a token."""
    with_api(data_dir, lambda api: api.call("DELETE", f"/tokens/{token_id}"))
    typer.echo(f"{token_id} is revoked")


@costs_app.callback()
def costs(
    context: typer.Context,
    group_by: Annotated[str, typer.Option("--by", help="agent, model, execution or day")] = "agent",
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show what was spent, from the ledger; `suggest` proposes what would cost less."""
    if context.invoked_subcommand is not None:
        return
    answer = with_api(data_dir, lambda api: api.call("GET", "/ledger", params={"group_by": group_by}))
    if as_json:
        print_json(answer)
        return
    out = table(None, group_by, "calls", "tokens in", "tokens out", "cost", "reserved", "flagged")
    for item in answer["items"]:
        out.add_row(
            escape(str(item["name"])), str(item["calls"]), f"{item['tokens_input']:,}", f"{item['tokens_output']:,}",
            f"${item['cost_usd']:.4f}", f"${item['reserved_usd']:.4f}", str(item["flagged_calls"]),
        )  # fmt: skip
    console.print(out if answer["items"] else "Nothing was spent yet.")
    if answer["note"]:
        console.print(f"[yellow]{answer['note']}[/yellow]")


@costs_app.command("suggest")
def suggest(
    days: Annotated[int, typer.Option(min=1, help="How many days back to look.")] = 30,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Propose cheaper models or prompt caching, with the numbers behind each proposal."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/costs/suggestions", params={"days": days}))
    if as_json:
        print_json(answer)
        return
    out = table(
        None, "agent", "model", "proposal", "spent", "instead", "saves", "calls", "tokens in", "tokens out"
    )
    for item in answer["items"]:
        numbers = item["numbers"]
        out.add_row(
            escape(item["name"]), item["model"], item["proposal"], f"${item['current_usd']:.4f}",
            f"${item['estimated_usd']:.4f}", f"{item['saving_percent']:.0f} %", str(numbers["calls"]),
            f"{numbers['tokens_input']:,}", f"{numbers['tokens_output']:,}" if "tokens_output" in numbers else "",
        )  # fmt: skip
    console.print(out if answer["items"] else f"Nothing to propose for the last {days} days.")
    for caution in sorted({item["caution"] for item in answer["items"]}):
        console.print(f"[dim]{caution}[/dim]")
    if answer["note"]:
        console.print(f"[yellow]{answer['note']}[/yellow]")


def mock_claude(
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8787,
    host: Annotated[str, typer.Option()] = "127.0.0.1",
    script: Annotated[Path | None, typer.Option(help="YAML with scripted answers.")] = None,
) -> None:
    """Serve a mock of Claude's Messages API."""
    from tercet.domain.errors import InvalidInput
    from tercet.testing.mock_claude import load_script, run_blocking

    if script is not None:
        try:
            load_script(script)
        except (OSError, ValueError) as error:
            raise InvalidInput(f"the script cannot be used: {error}") from error
    typer.echo(
        f"Mock Claude is listening on http://{host}:{port} (set ANTHROPIC_BASE_URL to it, any key works)"
    )
    run_blocking(port=port, host=host, script_path=script)


def show_settings(data_dir: DataDir = None) -> None:
    """Show every setting and where its value comes from."""
    from tercet.settings import Settings, load_settings

    loaded = load_settings(data_dir=data_dir)
    defaults = {name: info.get_default() for name, info in Settings.model_fields.items()}
    out = table(None, "setting", "value", "origin")
    for name, default in defaults.items():
        value = getattr(loaded, name)
        origin = (
            "default"
            if value == default
            else "flag"
            if name == "data_dir" and data_dir
            else "environment or .env"
        )
        out.add_row(name, escape(str(value)), origin)
    console.print(out)
