"""What `tercet run` does."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.markup import escape

from tercet.cli.asking import approve_everything, ask
from tercet.cli.data_files import read_argument, read_data_file
from tercet.cli.logs import configure_logging
from tercet.cli.output import console, dollars, print_json, status, table
from tercet.cli.progress import LiveView, task_table
from tercet.cli.session import Counts, Decide, RunResult, run_events
from tercet.domain.errors import InvalidInput
from tercet.domain.prices import from_pico
from tercet.flows.handlers import HandlerTable
from tercet.flows.wire import execution_to_wire
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.manifest.checks import open_manifest
from tercet.settings import load_settings
from tercet.store.listing import get_execution, tasks_of
from tercet.store.reader import Record
from tercet.wiring import Tercet, open_tercet

_MODES = ("ask", "all", "none")


async def run_manifest(
    path: Path,
    *,
    event: str,
    data: str,
    approve: str,
    limit: int | None,
    data_dir: Path | None,
    as_json: bool,
) -> int:
    """Run and report; return the exit code."""
    configure_logging("WARNING")
    rows, remarks = _read_rows(data)
    loaded = open_manifest(path)
    handlers = HandlerTable()
    handlers.import_all(loaded)
    if not as_json:
        for text in [*remarks, *map(str, loaded.warnings)]:
            console.print(f"[yellow]note[/yellow] {escape(text)}", highlight=False)
    async with open_tercet(load_settings(data_dir=data_dir), handlers=handlers) as node:
        deployed = await node.catalog.deploy(node.engine, loaded, owner_id=DEFAULT_OWNER)
        counts = Counts()
        node.engine.commit_listeners.append(counts.hear)
        live = Live(LiveView(counts, node.models.note), console=console, refresh_per_second=8, transient=True)
        quiet = as_json or not console.is_terminal
        with nullcontext() if quiet else live:
            result = await run_events(
                node,
                owner_id=DEFAULT_OWNER,
                event=event,
                rows=rows[:limit],
                manifest=deployed.name,
                decide=decider(approve, None if quiet else live),
                person=Person(user="cli", role="owner", owner_id=DEFAULT_OWNER),
            )
        if as_json:
            print_json(await _summary(node, result, counts))
        else:
            await print_result(node, result, counts)
        return 0 if result.all_completed else 1


def _read_rows(data: str) -> tuple[list[dict[str, Any]], list[str]]:
    if data.lstrip().startswith(("{", "[")):
        return read_argument(data), []
    file = read_data_file(Path(data))
    return file.rows, [f"{data}: {remark}" for remark in file.remarks]


def decider(mode: str, live: Live | None) -> Decide | None:
    """Return who decides: nobody, this terminal, or everybody's yes. Raises InvalidInput."""
    if mode not in _MODES:
        raise InvalidInput(f"--approve {mode!r} is not known", hint="ask, all or none")
    if mode == "none" or (mode == "ask" and not sys.stdin.isatty()):
        return None
    return with_pause(live, _approve_all if mode == "all" else ask)


async def _approve_all(approval: Record) -> list[Decision]:
    return approve_everything(approval)


def with_pause(live: Live | None, decide: Callable[[Record], Awaitable[list[Decision]]]) -> Decide:
    """Stop the live view while somebody is asked."""

    async def paused(approval: Record) -> list[Decision]:
        if live is not None:
            live.stop()
        try:
            return await decide(approval)
        finally:
            if live is not None:
                live.start()

    return paused


async def print_result(node: Tercet, result: RunResult, counts: Counts) -> None:
    """Print what happened."""
    console.print(task_table(counts, "Tasks by handler"))
    words = ", ".join(f"{count} {status(name)}" for name, count in sorted(result.statuses.items()))
    console.print(
        f"{len(result.execution_ids)} executions: {words}   {counts.tokens:,} tokens, "
        f"{dollars(counts.cost_picousd)}   {result.seconds:.1f} s",
        highlight=False,
    )
    if node.models.note:
        console.print(f"[yellow]{node.models.note}[/yellow]")
    if result.all_completed:
        return
    out = table("Not completed", "execution", "status", "why")
    shown = 0
    for execution_id in result.execution_ids:
        row = await node.reader.read(get_execution, owner_id=DEFAULT_OWNER, execution_id=execution_id)
        if row is None or row["status"] == "COMPLETED":
            continue
        shown += 1
        if shown <= 10:
            out.add_row(
                execution_id, status(row["status"]), escape(node.reveals.masked(await _why(node, row)))
            )
    console.print(out)
    console.print("Look further with `tercet executions show ID` and `tercet inbox list`.")


async def _why(node: Tercet, row: Record) -> str:
    failed = [task for task in await node.reader.read(tasks_of, row["id"]) if task["status"] == "ERROR"]
    if failed:
        return f"{failed[0]['handler']}: {failed[0]['error_type']}: {failed[0]['error_message']}"
    return row["status_message"] or ""


async def _summary(node: Tercet, result: RunResult, counts: Counts) -> dict[str, Any]:
    executions = [
        await node.reader.read(get_execution, owner_id=DEFAULT_OWNER, execution_id=execution_id)
        for execution_id in result.execution_ids
    ]
    return {
        "completed": result.all_completed,
        "statuses": result.statuses,
        "seconds": round(result.seconds, 3),
        "tasks": counts.tasks,
        "approvals_decided": counts.approvals_decided,
        "tokens": counts.tokens,
        "cost_usd": float(from_pico(counts.cost_picousd)),
        "models": node.models.kind,
        "note": node.models.note,
        "executions": [execution_to_wire(row, node.reveals.masked) for row in executions if row is not None],
    }
