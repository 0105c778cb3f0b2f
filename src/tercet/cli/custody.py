"""`tercet keys`, `archive`, `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tercet.cli.client import Api, with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, table
from tercet.domain.errors import InvalidInput

keys_app = typer.Typer(help="The keys for data at rest.", no_args_is_help=True)
archive_app = typer.Typer(help="Move ended executions into files, and back.", invoke_without_command=True)
_LONG_SECONDS = 3_600.0


@keys_app.command("list")
def list_keys(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List the keys and what each has sealed. Exits 1 when something is sealed by a key that is lost."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/keys", timeout_seconds=_LONG_SECONDS))
    lost = sum(item["texts"] for item in answer["items"] if not item["is_known"])
    if as_json:
        print_json(answer)
    else:
        out = table(None, "key", "seals", "texts", "archives")
        for item in answer["items"]:
            if item["is_known"]:
                out.add_row(
                    item["key_id"], "yes" if item["is_active"] else "", f"{item['texts']:,}", str(item["archives"])
                )  # fmt: skip
        console.print(out)
    if lost:
        typer.echo(f"{lost} texts are sealed by keys that are not in secret-keys.json: restore it", err=True)
        raise typer.Exit(1)


@keys_app.command("rotate")
def rotate(
    resume: Annotated[bool, typer.Option("--resume", help="Make no new key; only seal again.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Seal with a new key, and seal again what is stored. Stop it when you like; `--resume` goes on."""

    async def go(api: Api) -> tuple[int, int]:
        if not resume:
            made = await api.call("POST", "/keys/rotate")
            typer.echo(f"{made['key_id']} seals from now on")
        texts = unreadable = 0
        cursor = None
        while True:
            done = await api.call(
                "POST", "/keys/reseal", params={"cursor": cursor}, timeout_seconds=_LONG_SECONDS
            )
            texts += done["texts"]
            unreadable += done["unreadable"]
            cursor = done["cursor"]
            if cursor is None:
                return texts, unreadable

    texts, unreadable = with_api(data_dir, go)
    typer.echo(f"{texts:,} texts were sealed again")
    if unreadable:
        typer.echo(f"{unreadable} texts open with no key and stay as they are", err=True)
        raise typer.Exit(1)


@keys_app.command("drop")
def drop(key_id: Annotated[str, typer.Argument()], data_dir: DataDir = None) -> None:
    """Forget a key that nothing needs any more."""
    with_api(data_dir, lambda api: api.call("DELETE", f"/keys/{key_id}", timeout_seconds=_LONG_SECONDS))
    typer.echo(f"{key_id} is gone")


@archive_app.callback()
def archive(
    context: typer.Context,
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="How long ago they ended, such as 90d.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Archive ended executions; `verify` checks the files, `restore` puts them back."""
    if context.invoked_subcommand is not None:
        return
    if older_than is None:
        raise typer.BadParameter("say how long ago they ended, such as 90d", param_hint="--older-than")
    answer = with_api(data_dir, lambda api: _archive(api, older_than, dry_run=dry_run))
    if as_json:
        print_json(answer)
    elif dry_run:
        typer.echo(f"{answer['executions']:,} executions would be archived")
    else:
        for file in answer["files"]:
            typer.echo(file)
        typer.echo(f"{answer['executions']:,} executions were archived")
        if answer["skipped"]:
            typer.echo(f"{len(answer['skipped'])} changed meanwhile and stay", err=True)


async def _archive(api: Api, older_than: str, *, dry_run: bool) -> dict[str, Any]:
    params: dict[str, Any] = {"older_than": older_than}
    if dry_run:
        counted: dict[str, Any] = await api.call("POST", "/archive", params={**params, "dry_run": "true"})
        return counted
    total: dict[str, Any] = {"files": [], "executions": 0, "rows": 0, "skipped": []}
    while True:
        done = await api.call("POST", "/archive", params=params, timeout_seconds=_LONG_SECONDS)
        total["files"] += [done["file"]] if done["file"] else []
        for name in ("executions", "rows", "skipped"):
            total[name] += done[name]
        if done["cursor"] is None:
            return total
        params["cursor"] = done["cursor"]


@archive_app.command("verify")
def verify(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Check every archive file against the chain of hashes. Exits 1 and names what is not as it was written."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/archive/verify", timeout_seconds=_LONG_SECONDS))
    if as_json:
        print_json(answer)
    else:
        for item in answer["problems"]:
            typer.echo(f"{item['file']}: {item['problem']}")
        typer.echo(f"{answer['files']} files are as they were written")
    if answer["problems"]:
        raise typer.Exit(1)


@archive_app.command("restore")
def restore(
    target: Annotated[str, typer.Argument(metavar="EXECUTION_ID|FILE")],
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Put an execution, or all of a file, back into the database."""
    answer = with_api(
        data_dir,
        lambda api: api.call(
            "POST", "/archive/restore", params={"target": target}, timeout_seconds=_LONG_SECONDS
        ),
    )
    if as_json:
        print_json(answer)
    else:
        typer.echo(f"{len(answer['execution_ids'])} executions are back")


def export(
    to: Annotated[Path, typer.Option("--to", help="The zip to write; it must not exist.")],
    owner: Annotated[str | None, typer.Option("--owner", help="Whose data. Default: yours.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Write everything of an owner into a zip, decrypted and without secrets."""
    if to.exists():
        raise InvalidInput(f"{to} exists", hint="choose another name")
    size_bytes = with_api(
        data_dir,
        lambda api: api.download("/export", to, params={"owner": owner}, timeout_seconds=_LONG_SECONDS),
    )
    typer.echo(f"{to} has {size_bytes:,} bytes; it is not encrypted")
