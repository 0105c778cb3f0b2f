"""`tercet tools`: list, show and try the registered tools."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.markup import escape

from tercet.cli.client import with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, table
from tercet.domain.errors import InvalidInput

app = typer.Typer(help="List, show and try tools.", no_args_is_help=True)


@app.command("list")
def list_tools(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List the tools that agents may have."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/tools"))
    if as_json:
        print_json(answer)
        return
    out = table(None, "tool", "version", "side effects", "approval", "origin", "what it does")
    for item in answer["items"]:
        out.add_row(
            escape(item["name"]), item["version"], "yes" if item["side_effects"] else "no",
            "yes" if item["requires_approval"] else "no", escape(item["origin"]), escape(item["description"][:60]),
        )  # fmt: skip
    console.print(out)
    if answer["mcp_servers"]:
        console.print(f"MCP servers: {', '.join(answer['mcp_servers'])}")


@app.command("show")
def show_tool(
    name: Annotated[str, typer.Argument(metavar="TOOL")], data_dir: DataDir = None, as_json: AsJson = False
) -> None:
    """Show a tool with the schema of its arguments."""
    tool = with_api(data_dir, lambda api: api.call("GET", f"/tools/{name}"))
    if as_json:
        print_json(tool)
        return
    console.print(f"[bold]{escape(tool['name'])}[/bold] {tool['version']}: {escape(tool['description'])}")
    out = table(None, "argument", "type", "needed", "rules")
    schema: dict[str, Any] = tool["input_schema"]
    for argument, rules in schema.get("properties", {}).items():
        kind = (
            rules.get("type")
            or "/".join(str(option.get("type")) for option in rules.get("anyOf", ()))
            or "any"
        )
        rest = {
            key: value for key, value in rules.items() if key not in ("type", "anyOf", "properties", "items")
        }
        needed = "yes" if argument in schema.get("required", ()) else ""
        out.add_row(
            escape(argument), escape(str(kind)), needed, escape(json.dumps(rest)[:80] if rest else "")
        )
    console.print(out)
    effects = "has side effects" if tool["side_effects"] else "has no side effects"
    console.print(f"needs {tool['permission']}, {effects}, {tool['timeout_seconds']:g} s at most")


@app.command("test")
def try_tool(
    name: Annotated[str, typer.Argument(metavar="TOOL")],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help='For example \'{"operation": "sqrt", "a": 2}\'.')
    ] = "{}",
    confirm: Annotated[bool, typer.Option("--confirm", help="Run a tool that has side effects.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Call a tool through the guard and print what it gives. Exits 1 when it fails."""
    try:
        parsed = json.loads(arguments)
    except ValueError as error:
        raise InvalidInput(f"the arguments are not JSON: {error}") from error
    body = {"arguments": parsed, "confirm": confirm}
    answer = with_api(data_dir, lambda api: api.call("POST", f"/tools/{name}/test", body=body))
    print_json(answer)
    if not answer["success"]:
        raise typer.Exit(1)
