"""Approval rows as writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tercet.domain.codec import digest
from tercet.store import statements as sql
from tercet.store.reader import Record
from tercet.store.unit import Unit


class Locks:
    """One lock a key, kept only while somebody holds or wants it."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Hold the key for the block."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)


def action_digest(handler: str, title: str, data: dict[str, Any]) -> str:
    """Return the digest of the exact action that is shown. Nothing volatile goes in."""
    return digest({"handler": handler, "title": title, "data": data})


def bundle_digest(items: Sequence[Record]) -> str:
    """Return the digest over all items of an approval."""
    return digest(sorted(item["digest"] for item in items))


def write_approval(unit: Unit, row: Record) -> None:
    """Update an approval's row."""
    unit.add(
        sql.UPDATE_APPROVAL,
        (
            row["status"], row["digest"], row["items_total"], row["items_open"], row["assigned_to"],
            row["reminders_sent"], row["ready_at_ms"], row["escalated_at_ms"], row["expires_at_ms"],
            row["decided_at_ms"], row["decided_by"], row["decision"], row["option"], row["feedback"], row["id"],
        ),
    )  # fmt: skip


def write_item(unit: Unit, item: Record) -> None:
    """Update an item's row."""
    unit.add(
        sql.UPDATE_APPROVAL_ITEM,
        (
            item["data"], item["digest"], item["status"], item["edits"], item["feedback"], item["decided_by"],
            item["decided_at_ms"], item["id"],
        ),
    )  # fmt: skip
