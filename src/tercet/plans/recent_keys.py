"""Which reports were recorded: the last minutes' in memory, all of them in the rows.

Most events are told apart by their agent's clock. One that claims to be of the last minute can only have been
recorded since, so memory knows it; anything else is looked up in the rows.
"""

from __future__ import annotations

import asyncio
import hashlib

from tercet.domain.errors import Conflict
from tercet.engine.engine import Engine
from tercet.store import statements as sql
from tercet.store.executions import find_event_key, newest_event_at_ms
from tercet.store.reader import Record
from tercet.store.unit import Unit

_MINUTE_MS = 60_000


class RecentKeys:
    """Remembers keys of reports, for each owner."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known_from_ms = 2**62
        """Memory knows every key that was recorded later than this; before `start` it knows none."""
        self._young: set[tuple[str, str]] = set()
        self._old: set[tuple[str, str]] = set()
        self._turned_at_ms = 0
        self._in_flight: dict[tuple[str, str], asyncio.Future[None]] = {}

    async def start(self) -> None:
        """Find out from when on memory is complete: from the newest event of the process before."""
        self._known_from_ms = await self._engine.reader.read(newest_event_at_ms)

    async def find(self, owner_id: str, key: str, content: str, *, agent_at_ms: int | None) -> Record | None:
        """Return what was recorded under the key, or None. Raises Conflict when it was something else."""
        while (future := self._in_flight.get((owner_id, key))) is not None:
            await asyncio.wait([future])
        now_ms = self._engine.clock.now_ms()
        is_recent = agent_at_ms is not None and abs(now_ms - agent_at_ms) <= _MINUTE_MS
        if (
            is_recent
            and (agent_at_ms or 0) - _MINUTE_MS > self._known_from_ms
            and (owner_id, key) not in self._young
            and (owner_id, key) not in self._old
        ):
            return None
        row = await self._engine.reader.read(find_event_key, owner_id, key)
        if (owner_id, key) in self._in_flight:
            return await self.find(owner_id, key, content, agent_at_ms=agent_at_ms)
        if row is not None and row["digest"] != content:
            raise Conflict(
                "the idempotency key was used for another event", hint="use a new key for new content"
            )
        return row

    def remember(
        self, unit: Unit, owner_id: str, key: str, content: str, *, execution_id: str, seq: int, now_ms: int
    ) -> None:
        """Add the key to the unit that records its event."""
        if now_ms - self._turned_at_ms > 2 * _MINUTE_MS:
            self._old, self._young, self._turned_at_ms = self._young, set(), now_ms
        self._young.add((owner_id, key))
        unit.add(sql.INSERT_EVENT_KEY, (owner_id, key, content, execution_id, seq, now_ms))

    async def commit(self, owner_id: str, keys: list[str], future: asyncio.Future[None]) -> None:
        """Wait for the commit; whoever brings one of the keys again meanwhile waits too."""
        for key in keys:
            self._in_flight[owner_id, key] = future
        try:
            await future
        finally:
            for key in keys:
                self._in_flight.pop((owner_id, key), None)


def key_of(execution_id: str, agent_id: str, given: str) -> str:
    """Return the stored form of an agent's key: what one agent says in one execution never meets another's."""
    whole = f"{execution_id}\n{agent_id}\n{given}".encode()
    return f"agent:{hashlib.sha256(whole).hexdigest()[:40]}"
