"""Runs a manifest in a test: real engine, real SQLite file, handlers as plain functions, time real or virtual."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.domain.clock import Clock
from tercet.domain.codec import from_json
from tercet.flows.handlers import HandlerTable
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.manifest.checks import open_text
from tercet.settings import Settings
from tercet.store.approvals import list_approvals, load_approval
from tercet.store.listing import get_execution, list_events, tasks_of
from tercet.store.reader import Record
from tercet.wiring import Tercet, open_tercet

OWNER = Person(user="ada", role="owner", owner_id=DEFAULT_OWNER)
"""Who decides in tests unless they say otherwise."""


@dataclass(kw_only=True)
class Flow:
    """A node with one manifest."""

    node: Tercet
    manifest: str

    async def send(self, name: str, data: dict[str, Any] | None = None, **options: Any) -> str:
        """Send an event; return the execution's id."""
        receipt = await self.node.events.send(
            owner_id=DEFAULT_OWNER, name=name, data=data or {}, source="test", **options
        )
        return str(receipt.execution_id)

    async def run(self, name: str, data: dict[str, Any] | None = None) -> Record:
        """Send an event, work until idle, return the execution's row."""
        execution_id = await self.send(name, data)
        await self.idle()
        return await self.execution(execution_id)

    async def idle(self) -> None:
        """Work until nothing runs and nothing is ready."""
        await self.node.engine.wait_idle()
        await self.node.engine.journal.barrier()

    async def execution(self, execution_id: str) -> Record:
        """Return an execution's row."""
        row = await self.node.reader.read(get_execution, owner_id=DEFAULT_OWNER, execution_id=execution_id)
        assert row is not None, f"there is no execution {execution_id!r}"
        return row

    async def tasks(self, execution_id: str) -> dict[str, Record]:
        """Return the newest task of each handler."""
        return {task["handler"]: task for task in await self.node.reader.read(tasks_of, execution_id)}

    async def all_tasks(self, execution_id: str) -> list[Record]:
        """Return all tasks."""
        rows: list[Record] = await self.node.reader.read(tasks_of, execution_id)
        return rows

    async def event_names(self, execution_id: str) -> list[str]:
        """Return the names of the domain events, oldest first."""
        rows = await self.node.reader.read(list_events, execution_id=execution_id, limit=500, after_seq=0)
        return [row["name"] for row in rows if row["event_type"] in ("execution_created", "event_recorded")]

    async def event_data(self, execution_id: str, name: str) -> list[Any]:
        """Return the data of the events of one name, oldest first."""
        rows = await self.node.reader.read(list_events, execution_id=execution_id, limit=500, after_seq=0)
        return [from_json(row["output_data"]) for row in rows if row["name"] == name and row["output_data"]]

    async def approvals(self, status: str | None = "pending") -> list[Record]:
        """Return approvals with their items."""
        rows = await self.node.reader.read(
            list_approvals, owner_id=DEFAULT_OWNER, status=status, limit=500, after=None
        )
        loaded = [await self.node.reader.read(load_approval, row["id"]) for row in rows]
        return [approval for approval in loaded if approval is not None]

    async def decide(self, approval_id: str, by: Person = OWNER, **decision: Any) -> Record:
        """Decide an approval."""
        row: Record = await self.node.decisions.decide(approval_id, Decision.model_validate(decision), by=by)
        return row


@asynccontextmanager
async def open_flow(
    folder: Path,
    manifest: str,
    handlers: Mapping[str, Callable[..., Any]] | None = None,
    *,
    clock: Clock | None = None,
    inline: bool = False,
    **settings: Any,
) -> AsyncIterator[Flow]:
    """Open a node on `folder` with the manifest (YAML). `handlers` are by name; the manifest says `test:name`."""
    table = HandlerTable()
    for name, handler in (handlers or {}).items():
        table.register(f"test:{name}", handler)
    options = Settings(_env_file=None, data_dir=folder, **settings)
    async with open_tercet(options, handlers=table, clock=clock, inline=inline) as node:
        deployed = await node.catalog.deploy(node.engine, open_text(manifest), owner_id=DEFAULT_OWNER)
        yield Flow(node=node, manifest=deployed.name)
