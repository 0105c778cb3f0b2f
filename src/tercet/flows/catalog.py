"""Which manifests there are: deploys revisions, pins them to executions, finds who handles an event."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tercet.agent.task import AgentServices
from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import NotFound
from tercet.engine.engine import Engine
from tercet.flows.agent_tools import check_agent_tools
from tercet.flows.cron import cron_rows
from tercet.flows.definition import FlowDefinition
from tercet.flows.handlers import HandlerTable
from tercet.manifest.loader import LoadedManifest
from tercet.manifest.revision import Revision
from tercet.store import statements as sql
from tercet.store.manifests import cron_timers, latest_manifests, load_manifest
from tercet.store.reader import Reader, Record
from tercet.store.unit import Unit


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """A revision in force."""

    manifest_id: str
    owner_id: str
    name: str
    revision: int
    created: bool
    definition: FlowDefinition
    warnings: list[dict[str, Any]]


class Catalog:
    """Manifests by owner and name. The newest revision takes new executions; running ones keep theirs."""

    def __init__(self, reader: Reader, handlers: HandlerTable, agents: AgentServices) -> None:
        self.handlers = handlers
        self._agents = agents
        self._reader = reader
        self._active: dict[tuple[str, str], Deployed] = {}
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Read the newest revisions; what `serve` does at its start."""
        for row in await self._reader.read(latest_manifests):
            definition = FlowDefinition(Revision.from_stored(row["body"]), self.handlers, self._agents)
            self._active[row["owner_id"], row["name"]] = _deployed(row, definition, created=False)

    async def definition(self, manifest_id: str) -> FlowDefinition:
        """Return a pinned revision; what the engine asks. Raises NotFound."""
        for deployed in self._active.values():
            if deployed.manifest_id == manifest_id:
                return deployed.definition
        row = await self._reader.read(load_manifest, manifest_id)
        if row is None:
            raise NotFound(f"there is no manifest revision {manifest_id!r}")
        return FlowDefinition(Revision.from_stored(row["body"]), self.handlers, self._agents)

    def active(self, owner_id: str, name: str) -> Deployed:
        """Return the revision in force. Raises NotFound."""
        deployed = self._active.get((owner_id, name))
        if deployed is None:
            raise NotFound(f"there is no manifest {name!r}")
        return deployed

    def all_active(self, owner_id: str) -> list[Deployed]:
        """Return an owner's manifests in force, by name."""
        return [deployed for (owner, _), deployed in sorted(self._active.items()) if owner == owner_id]

    def everywhere(self, name: str) -> list[Deployed]:
        """Return the manifests of this name, of every owner."""
        return [deployed for (_, own), deployed in self._active.items() if own == name]

    def check(self, loaded: LoadedManifest) -> Revision:
        """Return the revision that deploying would store. Raises InvalidManifest."""
        revision = Revision.of(loaded)
        check_agent_tools(revision, self._agents.catalog)
        return revision

    async def deploy(self, engine: Engine, loaded: LoadedManifest, *, owner_id: str) -> Deployed:
        """Store a revision; an unchanged one is not stored again. Raises InvalidManifest."""
        revision = self.check(loaded)
        name = revision.manifest.name
        async with self._lock:
            current = self._active.get((owner_id, name))
            if current is not None and current.definition.revision.digest == revision.digest:
                return current
            now_ms = engine.clock.now_ms()
            row: Record = {
                "id": engine.mint.mint("mfr"),
                "owner_id": owner_id,
                "name": name,
                "revision": 1 if current is None else current.revision + 1,
                "digest": revision.digest,
                "source": loaded.text,
                "body": revision.to_stored(),
                "warnings": to_json([problem.to_wire() for problem in loaded.warnings]),
                "created_at_ms": now_ms,
            }
            unit = Unit()
            unit.add(sql.INSERT_MANIFEST, tuple(row[column] for column in sql.INSERT_MANIFEST.columns))
            await self._replace_cron_timers(engine, unit, owner_id, revision, now_ms)
            await engine.journal.submit(unit)
            if unit.timers_due_at_ms is not None:
                engine.timers.wake_by(unit.timers_due_at_ms)
            deployed = _deployed(row, FlowDefinition(revision, self.handlers, self._agents), created=True)
            self._active[owner_id, name] = deployed
            return deployed

    async def _replace_cron_timers(
        self, engine: Engine, unit: Unit, owner_id: str, revision: Revision, now_ms: int
    ) -> None:
        for row in await self._reader.read(cron_timers):
            payload = from_json(row["payload"])
            if payload["owner_id"] == owner_id and payload["manifest"] == revision.manifest.name:
                unit.add(sql.DELETE_TIMER, (row["id"],))
        cron_rows(unit, engine.mint, revision.manifest, owner_id=owner_id, now_ms=now_ms)


def _deployed(row: Record, definition: FlowDefinition, *, created: bool) -> Deployed:
    return Deployed(
        manifest_id=row["id"],
        owner_id=row["owner_id"],
        name=row["name"],
        revision=row["revision"],
        created=created,
        definition=definition,
        warnings=from_json(row["warnings"]),
    )
