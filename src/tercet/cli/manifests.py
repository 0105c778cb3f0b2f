"""`tercet manifest …`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tercet.cli.options import AsJson
from tercet.cli.output import console, print_json

if TYPE_CHECKING:
    from tercet.manifest.loader import LoadedManifest

app = typer.Typer(help="Check, draw, format and create manifests.", no_args_is_help=True)
ManifestPath = Annotated[
    Path, typer.Argument(metavar="PATH", help="A manifest, or a folder with manifest.yaml.")
]


@app.command()
def check(
    path: ManifestPath,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option(help="Warnings fail too.")] = False,
) -> None:
    """Report everything that is wrong, with file, line and column. Exits 1 when there is an error."""
    from tercet.manifest.checks import open_manifest

    loaded = open_manifest(path)
    unknown = _unknown_tools(loaded)
    if as_json:
        print_json([*(problem.to_wire() for problem in loaded.problems), *unknown])
    else:
        for problem in loaded.problems:
            colour = "red" if problem.severity == "error" else "yellow"
            console.print(f"[{colour}]{problem.severity}[/{colour}] ", end="")
            console.print(
                f"{problem.file}:{problem.line}:{problem.column}  {problem.rule}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
            console.print(
                f"    {problem.message}" + (f"\n    hint: {problem.hint}" if problem.hint else ""),
                markup=False,
                highlight=False,
            )
        for entry in unknown:
            console.print("[red]error[/red] ", end="")
            console.print(f"{path}: {entry['field']}  {entry['rule']}", markup=False, highlight=False)
            console.print(f"    {entry['message']}\n    hint: {entry['hint']}", markup=False, highlight=False)
        if loaded.manifest is not None and not loaded.errors and not unknown:
            m = loaded.manifest
            console.print(
                f"{m.name}: {len(m.agents)} agents, {len(m.functions)} functions, {len(m.humans)} human steps, "
                f"{len(m.events)} events, {len(loaded.warnings)} warnings", highlight=False,
            )  # fmt: skip
    if loaded.errors or unknown or (strict and loaded.warnings):
        raise typer.Exit(1)


@app.command()
def graph(
    path: ManifestPath,
    format: Annotated[str, typer.Option("--format", help="mermaid or svg")] = "mermaid",
    out: Annotated[Path | None, typer.Option("--out", help="Write to this file.")] = None,
) -> None:
    """Draw the event graph: agents, humans and code look different."""
    from tercet.domain.errors import InvalidInput
    from tercet.manifest.event_graph import event_graph
    from tercet.manifest.loader import load_path
    from tercet.manifest.mermaid import to_mermaid
    from tercet.manifest.svg import to_svg

    if format not in ("mermaid", "svg"):
        raise InvalidInput(f"there is no format {format!r}", hint="mermaid or svg")
    drawn = event_graph(load_path(path).raise_for_errors())
    text = to_svg(drawn) if format == "svg" else to_mermaid(drawn)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, "utf-8")
        typer.echo(f"wrote {out}")


@app.command()
def schema() -> None:
    """Print the manifest's JSON Schema, for editors."""
    from tercet.manifest.json_schema import manifest_json_schema

    print_json(manifest_json_schema())


@app.command()
def new(
    directory: Annotated[Path, typer.Argument(metavar="DIR")],
    name: Annotated[str | None, typer.Option(help="The manifest's name. Default: the folder's.")] = None,
) -> None:
    """Create a manifest with an agent, a human step and a function to start from."""
    from tercet.manifest.scaffold import new_manifest

    for path in new_manifest(directory, name or directory.resolve().name):
        typer.echo(f"wrote {path}")
    typer.echo(f"next: tercet manifest check {directory}")


@app.command()
def fmt(
    path: ManifestPath,
    check_only: Annotated[bool, typer.Option("--check", help="Only say whether it would change.")] = False,
) -> None:
    """Format a manifest; comments and banners stay."""
    from tercet.manifest.formatting import format_text

    target = path / "manifest.yaml" if path.is_dir() else path
    before = target.read_text("utf-8")
    after = format_text(before)
    if before == after:
        typer.echo(f"{target} is formatted")
    elif check_only:
        typer.echo(f"{target} would change")
        raise typer.Exit(1)
    else:
        target.write_text(after, "utf-8")
        typer.echo(f"formatted {target}")


def _unknown_tools(loaded: LoadedManifest) -> list[dict[str, Any]]:
    """Return the tools and MCP servers that agents name and that are not installed here."""
    if loaded.manifest is None or loaded.errors:
        return []
    from tercet.domain.errors import InvalidManifest
    from tercet.flows.agent_tools import check_agent_tools
    from tercet.manifest.revision import Revision
    from tercet.settings import load_settings
    from tercet.wiring import installed_tools

    try:
        check_agent_tools(Revision.of(loaded), installed_tools(load_settings()))
    except InvalidManifest as error:
        return error.detail
    return []
