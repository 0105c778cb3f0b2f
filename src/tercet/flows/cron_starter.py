"""Starts executions at cron times."""

from __future__ import annotations

from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json
from tercet.domain.errors import NotFound
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.flows.catalog import Catalog
from tercet.flows.cron import insert_cron_timer
from tercet.manifest.schema import Cron, Function
from tercet.store import statements as sql
from tercet.store.reader import Record
from tercet.store.unit import Unit


class CronStarter:
    """Starts executions at cron times. After a pause of the server, missed times fire once."""

    def __init__(self, engine: Engine, intake: Intake, catalog: Catalog) -> None:
        self._engine = engine
        self._intake = intake
        self._catalog = catalog
        engine.timers.on("cron", self._fire)

    async def _fire(self, row: Record) -> None:
        payload = from_json(row["payload"])
        deployed = self._catalog.active(payload["owner_id"], payload["manifest"])
        block = deployed.definition.blocks.get(payload["function"])
        if not isinstance(block, Function) or not isinstance(block.trigger, Cron):
            raise NotFound(f"{payload['function']!r} is no cron function any more")
        now_ms = self._engine.clock.now_ms()
        unit = Unit()
        unit.add(sql.DELETE_TIMER, (row["id"],))
        insert_cron_timer(
            unit, self._engine.mint, block.trigger, payload["owner_id"], payload["manifest"], block.name,
            max(now_ms, row["due_at_ms"]),
        )  # fmt: skip
        await self._intake.start_execution(
            deployed.definition,
            manifest_id=deployed.manifest_id,
            owner_id=payload["owner_id"],
            name=deployed.definition.cron_event(block.name),
            data={"scheduled_at": to_iso(row["due_at_ms"]), "fired_at": to_iso(now_ms)},
            source="cron",
            idempotency_key=f"cron:{payload['manifest']}:{block.name}:{row['due_at_ms']}",
            extra=unit,
        )
