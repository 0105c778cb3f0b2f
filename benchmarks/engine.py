"""Durable three-step runs through the real engine, beside the bare group-commit limit of the same SQLite file.

The bare limit writes the very rows that the engine wrote, in groups of as many units as were in flight,
with nothing around them.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.report import print_table
from tercet.flows.handlers import HandlerTable
from tercet.manifest.checks import open_text
from tercet.settings import Settings
from tercet.store.migrate import migrate
from tercet.store.sqlite import open_writer
from tercet.store.statements import ALL
from tercet.store.unit import Row, Statement, Unit
from tercet.wiring import Tercet, open_tercet

IN_FLIGHT = 64
RUNS = 12_800
ALONE = 200
_MANIFEST = """
name: bench
events:
  - {name: run.sent, description: starts a run}
functions:
  - {name: three-steps, trigger: {event: run.sent}, handler: "bench:three_steps"}
"""
_DATA = {"lead": {"name": "Ada", "email": "ada@example.org"}, "note": "a payload of ordinary size" * 4}


async def _work(index: int) -> dict[str, int]:
    return {"index": index}


async def three_steps(_event: dict[str, Any], ctx: Any) -> dict[str, bool]:
    """The handler: three durable steps."""
    for index in range(3):
        await ctx.step(f"step-{index}", _work, index)
    return {"ok": True}


@asynccontextmanager
async def _node(folder: Path) -> AsyncIterator[Tercet]:
    handlers = HandlerTable()
    handlers.register("bench:three_steps", three_steps)
    settings = Settings(data_dir=folder, _env_file=None)  # type: ignore[call-arg]
    async with open_tercet(settings, handlers=handlers) as node:
        await node.catalog.deploy(node.engine, open_text(_MANIFEST), owner_id="local")
        yield node


class _Completions:
    """Tells who waits that an execution's completion is on disk."""

    def __init__(self) -> None:
        self.waiting: dict[str, asyncio.Future[None]] = {}

    def hear(self, unit: Unit) -> None:
        for statement, row in unit.rows:
            if statement.name == "update_execution" and row[0] == "COMPLETED":
                future = self.waiting.pop(row[-1], None)
                if future is not None:
                    future.set_result(None)


async def _run_once(node: Tercet, completions: _Completions) -> None:
    deployed = node.catalog.active("local", "bench")
    receipt = await node.intake.start_execution(
        deployed.definition, manifest_id=deployed.manifest_id, owner_id="local", name="run.sent", data=_DATA, source="bench",
    )  # fmt: skip
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    completions.waiting[receipt.execution_id] = future
    await future


async def _measure_engine(folder: Path) -> tuple[float, float, list[list[tuple[Statement, Row]]]]:
    recorded: list[list[tuple[Statement, Row]]] = []
    async with _node(folder) as node:
        completions = _Completions()
        node.engine.commit_listeners.append(completions.hear)
        alone = []
        for _ in range(ALONE):
            began = time.perf_counter()
            await _run_once(node, completions)
            alone.append(time.perf_counter() - began)

        async def lane() -> None:
            for _ in range(RUNS // IN_FLIGHT):
                await _run_once(node, completions)

        began = time.perf_counter()
        await asyncio.gather(*(lane() for _ in range(IN_FLIGHT)))
        runs_per_s = RUNS / (time.perf_counter() - began)
        node.engine.commit_listeners.append(lambda unit: recorded.append(list(unit.rows)))
        await asyncio.gather(*(_run_once(node, completions) for _ in range(IN_FLIGHT * 20)))
    return runs_per_s, statistics.median(alone) * 1000, recorded


def _measure_bare(folder: Path, units: list[list[tuple[Statement, Row]]]) -> float:
    """Write the recorded rows in groups of IN_FLIGHT units; return runs per second."""
    database = folder / "bare.db"
    migrate(f"sqlite:///{database}")
    connection = open_writer(database)
    order = {statement: index for index, statement in enumerate(ALL)}
    runs = sum(1 for unit in units for statement, _ in unit if statement.name == "insert_executions")
    began = time.perf_counter()
    for start in range(0, len(units), IN_FLIGHT):
        groups: dict[Statement, list[Row]] = {}
        for unit in units[start : start + IN_FLIGHT]:
            for statement, row in unit:
                groups.setdefault(statement, []).append(row)
        for statement in sorted(groups, key=order.__getitem__):
            connection.executemany(statement.sql, groups[statement])
        connection.commit()
    seconds = time.perf_counter() - began
    connection.close()
    return runs / seconds


def measure() -> dict[str, float]:
    """Return the figures of this area."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as name:
        folder = Path(name)
        runs_per_s, latency_ms, units = uvloop.run(_measure_engine(folder / "engine"))
        limit = _measure_bare(folder, units)
    figures = {
        "engine.runs_per_s": round(runs_per_s, 1),
        "engine.limit_runs_per_s": round(limit, 1),
        "engine.ratio_of_limit": round(runs_per_s / limit, 3),
        "engine.latency_ms_p50": round(latency_ms, 3),
    }
    print_table(
        f"Durable three-step runs (SQLite, synchronous=FULL, {IN_FLIGHT} in flight)",
        [
            ("engine, runs/s", f"{runs_per_s:,.0f}", "at least 2,000", runs_per_s >= 2_000),
            ("bare group commit of the same rows, runs/s", f"{limit:,.0f}", "", None),
            ("ratio", f"{runs_per_s / limit:.2f}", "at least 0.20", runs_per_s / limit >= 0.2),
            ("one run alone, median ms", f"{latency_ms:.2f}", "under 10", latency_ms < 10),
        ],
    )
    return figures
