"""`tercet run` and `tercet serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tercet.cli.options import AsJson, DataDir


def run(
    manifest: Annotated[
        Path, typer.Argument(metavar="MANIFEST", help="A manifest, or a folder with manifest.yaml.")
    ],
    event: Annotated[str, typer.Option("--event", help="The event to send.")],
    data: Annotated[
        str, typer.Option("--data", help="A .json, .jsonl or .csv file (one event a row), or JSON.")
    ] = "{}",
    approve: Annotated[str, typer.Option("--approve", help="ask, all or none")] = "ask",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first rows.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Run a manifest in this process until it is idle. Exits 0 only when every execution completed."""
    import asyncio

    from tercet.cli.run_command import run_manifest

    sys.exit(
        asyncio.run(
            run_manifest(
                manifest,
                event=event,
                data=data,
                approve=approve,
                limit=limit,
                data_dir=data_dir,
                as_json=as_json,
            )
        )
    )


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 chooses a free one.")] = None,
    manifest: Annotated[
        list[Path] | None, typer.Option("--manifest", help="Load this manifest; repeat it.")
    ] = None,
    reload: Annotated[bool, typer.Option("--reload", help="Restart when the code changes.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Serve the API. SIGTERM stops it cleanly: running tasks are handed back."""
    from tercet.cli import server

    options: dict[str, Any] = {"host": host, "port": port, "data_dir": data_dir}
    if reload:
        server.serve_with_reload(options, manifest or [])
    else:
        server.serve(options, manifest or [])
