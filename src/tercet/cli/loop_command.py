"""What `tercet loop` does."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.markup import escape

from tercet.cli.logs import configure_logging
from tercet.cli.loop_view import LoopView, turn_line
from tercet.cli.output import console, dollars, print_json
from tercet.cli.run_command import decider
from tercet.cli.session import Counts, Decide, decide_some, wait_for_next
from tercet.domain.errors import InvalidInput
from tercet.domain.prices import from_pico
from tercet.domain.status import EXECUTION_ENDED, ExecutionStatus
from tercet.embedded_loop import read_config
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.loop.definition import TURN_FEED
from tercet.loop.state import AgentState
from tercet.settings import load_settings
from tercet.store.listing import costs_of, get_execution
from tercet.store.reader import Record
from tercet.wiring import Tercet, open_tercet

_PATIENCE_SECONDS = 600.0
_END = "loop.left"


async def run_loop(
    goal: str | None,
    fields: dict[str, Any],
    *,
    workspace: Path | None,
    approve: str,
    resume: str | None,
    data_dir: Path | None,
    as_json: bool,
) -> int:
    """Run to the end, or as far as it goes without people; return the exit code."""
    configure_logging("WARNING")
    if (goal is None) == (resume is None):
        raise InvalidInput("give either a goal or --resume EXECUTION_ID")
    config = None if goal is None else read_config({**fields, "goal": goal}, workspace=workspace)
    async with open_tercet(load_settings(data_dir=data_dir)) as node:
        counts = Counts()
        node.engine.commit_listeners.append(counts.hear)
        execution_id = resume or node.engine.mint.mint("exe")
        view = LoopView(counts, node.models.note)
        live = Live(view, console=console, refresh_per_second=8, transient=True)
        quiet = as_json or not console.is_terminal
        decide = decider(approve, None if quiet else live)
        with node.loops.feed.watch(execution_id) as queue, nullcontext() if quiet else live:
            listener = asyncio.create_task(_listen(queue, view, speak=quiet and not as_json))
            if config is not None:
                await node.loops.start(
                    config, owner_id=DEFAULT_OWNER, source="cli", execution_id=execution_id
                )
            view.state = (await node.loops.standing(execution_id, owner_id=DEFAULT_OWNER)).state
            try:
                row = await _follow(node, execution_id, decide)
            except asyncio.CancelledError:
                console.print(f"Go on with `tercet loop --resume {execution_id}`.")
                raise
            node.loops.feed.tell(execution_id, _END, {})
            await listener
        state = (await node.loops.standing(execution_id, owner_id=DEFAULT_OWNER)).state
        await _report(node, row, state, as_json=as_json)
        return 0 if state["reason"] == "finished" else 1


async def _listen(queue: asyncio.Queue[dict[str, Any]], view: LoopView, *, speak: bool) -> None:
    while (event := await queue.get())["type"] != _END:
        view.hear(event)
        if speak and event["type"] == TURN_FEED:
            console.print(turn_line(event["data"]), highlight=False)


async def _follow(node: Tercet, execution_id: str, decide: Decide | None) -> Record:
    """Work until the loop ends, or until only people can let it go on; return the execution's row."""
    person = Person(user="cli", role="owner", owner_id=DEFAULT_OWNER)
    left_open: set[tuple[str, str]] = set()

    async def decide_own(approval: Record) -> list[Decision]:
        if decide is None or not any(item["execution_id"] == execution_id for item in approval["items"]):
            return []
        return await decide(approval)

    while True:
        await node.engine.wait_idle()
        await node.engine.journal.barrier()
        row = await node.reader.read(get_execution, owner_id=DEFAULT_OWNER, execution_id=execution_id)
        assert row is not None
        if ExecutionStatus(row["status"]) in EXECUTION_ENDED:
            return row
        if decide is not None and await decide_some(node, DEFAULT_OWNER, decide_own, person, left_open):
            continue
        if not await wait_for_next(node, _PATIENCE_SECONDS):
            return row


async def _report(node: Tercet, row: Record, state: AgentState, *, as_json: bool) -> None:
    costs = await node.reader.read(costs_of, row["id"])
    if as_json:
        print_json(
            {
                "execution_id": row["id"], "status": row["status"], "state": state,
                "cost_usd": float(from_pico(costs["cost_picousd"])), "models": node.models.kind, "note": node.models.note,
            }
        )  # fmt: skip
        return
    colour = "green" if state["reason"] == "finished" else "yellow"
    why = state["message"] or row["status_message"] or row["status"]
    console.print(f"[{colour}]{state['reason'] or row['status']}[/{colour}]: {escape(why)}", highlight=False)
    if state["executor_output"] is not None:
        console.print(escape(state["executor_output"]["output"]), highlight=False)
    console.print(
        f"{state['iters']} of {state['max_iters']} turns   {dollars(costs['cost_picousd'])}   {row['id']}",
        highlight=False,
    )
    if ExecutionStatus(row["status"]) not in EXECUTION_ENDED:
        console.print(f"It waits. Go on with `tercet loop --resume {row['id']}` once that is decided.")
    if node.models.note:
        console.print(f"[yellow]{node.models.note}[/yellow]")
