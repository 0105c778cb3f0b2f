"""Rotation of the keys for data at rest, beside a running engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import Conflict, InvalidInput, InvalidSettings
from tercet.domain.sealing import CannotOpen, Keyring, is_sealed
from tercet.engine.engine import Engine
from tercet.store.custody_statements import DELETE_UNLOCK, INSERT_UNLOCK, RESEAL
from tercet.store.keys import FILE_NAME, KeyFile
from tercet.store.resealing import OTHER, TABLES, StoredText, count_by_key, holds_sealed_text, stale_texts
from tercet.store.sealer import Sealer
from tercet.store.sqlite import open_reader
from tercet.store.unit import Unit

_BATCH = 500
_UNLOCK = ("reseal", "*")


@dataclass(frozen=True, kw_only=True)
class KeyUse:
    """A key and what it has sealed."""

    key_id: str
    is_active: bool
    texts: int
    """In the database."""
    archives: int
    """Archive files with text of this key."""
    is_known: bool = True
    """False for text whose key is in no keyring: nobody can read it."""


@dataclass(frozen=True, kw_only=True)
class Resealed:
    """What a batch did."""

    texts: int
    unreadable: int
    """Texts that no key opens; they stay as they are."""
    cursor: str | None
    """Where the next batch goes on; None at the end."""


class Keys:
    """The keys of a data folder."""

    def __init__(self, engine: Engine, file: KeyFile, sealer: Sealer) -> None:
        self._engine = engine
        self._file = file
        self.ring = sealer.ring
        self._sealer = sealer
        self.lock = asyncio.Lock()
        """Held while a key goes, and while old ciphertext may come back out of an archive."""

    async def all(self, in_archives: Mapping[str, int]) -> list[KeyUse]:
        """Return the keys, the sealing one first. `in_archives` counts archive files by key."""
        await self._engine.journal.barrier()
        ids = self.ring.key_ids
        counts = await self._engine.reader.read(count_by_key, ids)
        uses = [
            KeyUse(
                key_id=key_id, is_active=key_id == self.ring.key_id, texts=counts[key_id],
                archives=in_archives.get(key_id, 0),
            )
            for key_id in ids
        ]  # fmt: skip
        if counts[OTHER]:
            uses.append(
                KeyUse(key_id=OTHER, is_active=False, texts=counts[OTHER], archives=0, is_known=False)
            )
        return uses

    async def rotate(self) -> str:
        """Seal with a new key from now on; return its id. What is stored is sealed again by `reseal`."""
        async with self.lock:
            return await asyncio.to_thread(self._file.add, self.ring)

    async def reseal(self, cursor: str | None = None) -> Resealed:
        """Seal a batch of stored texts with the sealing key, beside everything else that is written."""
        index, after = _place(cursor)
        async with self.lock:
            return await self._reseal(index, after)

    async def _reseal(self, index: int, after: list[Any] | None) -> Resealed:
        texts: list[StoredText] = []
        while index < len(TABLES) and not texts:
            texts, after = await self._engine.reader.read(
                stale_texts, TABLES[index], key_id=self.ring.key_id, plain_too=self._sealer.seals_all,
                after=after, limit=_BATCH,
            )  # fmt: skip
            index += after is None
        unreadable = 0
        unit = Unit()
        for text in texts:
            try:
                new = self._seal_again(text)
            except CannotOpen:
                unreadable += 1
            else:
                unit.add(RESEAL[text.table, text.column], (new, *text.key, text.text))
        if unit.rows:
            unit.add(INSERT_UNLOCK, _UNLOCK)
            unit.add(DELETE_UNLOCK, _UNLOCK)
            await self._engine.journal.submit(unit)
        ended = index == len(TABLES)
        return Resealed(
            texts=len(texts) - unreadable, unreadable=unreadable,
            cursor=None if ended else to_json([index, after]),
        )  # fmt: skip

    async def drop(self, key_id: str, in_archives: Callable[[], Awaitable[Mapping[str, int]]]) -> None:
        """Forget a key that nothing needs. Raises NotFound, and Conflict while something needs it."""
        async with self.lock:
            # Counted under the lock: a run of the archive moves old ciphertext from the one place to the other.
            uses = [use for use in await self.all(await in_archives()) if use.is_known]
            use = next((use for use in uses if use.key_id == key_id), None)
            if use is not None and not use.is_active and (use.texts or use.archives):
                raise Conflict(
                    f"the key {key_id!r} is in use: {use.texts} texts in the database, {use.archives} archive files",
                    hint="`tercet keys rotate` seals the database again; archives keep their keys",
                )
            await asyncio.to_thread(self._file.drop, self.ring, key_id)

    def _seal_again(self, text: StoredText) -> str:
        is_plain = not is_sealed(text.text) and not text.column.endswith("_sealed")
        opened = text.text if is_plain else self.ring.open(text.text, belongs_to=text.belongs_to)
        return self.ring.seal(opened, belongs_to=text.belongs_to)


def open_ring(file: KeyFile, database: Path) -> Keyring:
    """Return the ring of a data folder. Raises InvalidSettings when the file of a sealed database is gone."""
    if not file.exists:
        engine = open_reader(database)
        try:
            with engine.connect() as connection:
                lost = holds_sealed_text(connection)
        finally:
            engine.dispose()
        if lost:
            raise InvalidSettings(
                f"{FILE_NAME} is missing in {database.parent}, and the database holds sealed data",
                hint="restore the file from a backup; nobody can read the data without it",
            )
    return file.open()


def _place(cursor: str | None) -> tuple[int, list[Any] | None]:
    if cursor is None:
        return 0, None
    try:
        index, after = from_json(cursor)
        if not isinstance(index, int) or not 0 <= index < len(TABLES) or not isinstance(after, list | None):
            raise ValueError(cursor)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{cursor!r} is no cursor of a rotation", hint="begin without one") from error
    return index, after
