"""Archives once a day what ended long enough ago."""

from __future__ import annotations

from tercet.custody.archive import Archive
from tercet.engine.engine import Engine
from tercet.engine.timer_rows import insert_timer
from tercet.store import statements as sql
from tercet.store.archiving import TIMER, is_scheduled
from tercet.store.reader import Record
from tercet.store.unit import Unit

DAY_MS = 86_400_000


class DailyArchive:
    """A timer that starts a run and the next timer. Without `after_days` a timer of before is dropped."""

    def __init__(self, engine: Engine, archive: Archive, *, after_days: int | None) -> None:
        self._engine = engine
        self._archive = archive
        self._after_days = after_days
        if after_days is not None:
            engine.timers.on(TIMER, self._fire)

    async def start(self) -> None:
        """Make sure that a timer waits; the first one is due at once."""
        if self._after_days is None or await self._engine.reader.read(is_scheduled):
            return
        unit = Unit()
        insert_timer(unit, self._engine.mint, kind=TIMER, due_at_ms=self._engine.clock.now_ms())
        await self._engine.journal.submit(unit)
        self._engine.timers.wake_by(self._engine.clock.now_ms())

    async def _fire(self, row: Record) -> None:
        unit = Unit()
        unit.add(sql.DELETE_TIMER, (row["id"],))
        insert_timer(unit, self._engine.mint, kind=TIMER, due_at_ms=self._engine.clock.now_ms() + DAY_MS)
        await self._engine.journal.submit(unit)
        # Beside the timers: a run may take longer than any of them should wait.
        self._engine.spawn(self._run())

    async def _run(self) -> None:
        cursor = None
        while True:
            done = await self._archive.run(older_than_ms=(self._after_days or 0) * DAY_MS, cursor=cursor)
            cursor = done.cursor
            if cursor is None:
                return
