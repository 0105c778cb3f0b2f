"""Cron functions: one timer row each, replaced in the commit of the execution that it starts."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim

from tercet.domain.ids import IdMint
from tercet.engine.timer_rows import insert_timer
from tercet.manifest.schema import Cron, Manifest
from tercet.store.unit import Unit


def next_time_ms(cron: Cron, after_ms: int) -> int:
    """Return the first time after `after_ms` in the cron's time zone. A time that daylight saving skips is
    moved to the next valid one, and one that comes twice fires once (cronsim follows Debian's cron)."""
    start = datetime.fromtimestamp(after_ms / 1000, tz=ZoneInfo(cron.timezone))
    return int(next(CronSim(cron.cron, start)).timestamp() * 1000)


def cron_rows(unit: Unit, mint: IdMint, manifest: Manifest, *, owner_id: str, now_ms: int) -> None:
    """Insert the first timer of every cron function."""
    for function in manifest.functions:
        if isinstance(function.trigger, Cron):
            insert_cron_timer(unit, mint, function.trigger, owner_id, manifest.name, function.name, now_ms)


def insert_cron_timer(
    unit: Unit, mint: IdMint, cron: Cron, owner_id: str, manifest: str, function: str, after_ms: int
) -> None:
    """Insert the timer of the next time after `after_ms`."""
    insert_timer(
        unit, mint, kind="cron", due_at_ms=next_time_ms(cron, after_ms),
        payload={"owner_id": owner_id, "manifest": manifest, "function": function},
    )  # fmt: skip
