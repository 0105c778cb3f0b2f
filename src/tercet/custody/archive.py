"""Archives of ended executions, beside a running engine: out of the database into files, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog

from tercet.custody.keys import Keys
from tercet.domain.errors import NotFound, TercetError
from tercet.domain.sealing import is_sealed, key_of
from tercet.engine.engine import Engine
from tercet.store import custody_statements as sql
from tercet.store.archive_files import ArchivedRow, ArchiveFile, ArchiveFolder, Content
from tercet.store.archiving import (
    approvals_of,
    archivable,
    archived_in,
    exists,
    last_seq,
    recorded_archives,
    rows_of,
)
from tercet.store.reader import Record
from tercet.store.sealer import Sealer
from tercet.store.tables.sealed import Sealed
from tercet.store.unit import Unit

_log = structlog.get_logger(__name__)
_EXECUTIONS_A_FILE = 500
_AT_ONCE = 5


@dataclass(kw_only=True)
class Archived:
    """What one file took."""

    file: str | None = None
    executions: int = 0
    rows: int = 0
    skipped: list[str] = field(default_factory=list)
    """Executions that changed in between; they stay."""
    cursor: str | None = None
    """Where the next file goes on; None at the end."""


class Archive:
    """Moves ended executions into archive files. One run at a time."""

    def __init__(self, engine: Engine, folder: ArchiveFolder, keys: Keys, sealer: Sealer) -> None:
        self._engine = engine
        self._folder = folder
        self._keys = keys
        self._sealer = sealer

    async def candidates(self, *, older_than_ms: int) -> dict[str, int]:
        """Return what a run would take, by owner."""
        counts: dict[str, int] = {}
        after = None
        while rows := await self._candidates(older_than_ms, after):
            for row in rows:
                counts[row["owner_id"]] = counts.get(row["owner_id"], 0) + 1
            after = rows[-1]["id"]
        return counts

    async def run(self, *, older_than_ms: int, cursor: str | None = None) -> Archived:
        """Archive one file of executions that ended at least that long ago.

        Rows are deleted only once the file and its line in the chain are on disk and were read back.
        """
        async with self._keys.lock:
            rows = await self._candidates(older_than_ms, cursor)
            done = Archived(cursor=rows[-1]["id"] if len(rows) == _EXECUTIONS_A_FILE else None)
            if not rows:
                return done
            await self._engine.journal.barrier()
            content, seqs, now_ms = Content(), dict[str, int](), self._engine.clock.now_ms()
            entry = await asyncio.to_thread(self._write, [row["id"] for row in rows], content, seqs, now_ms)
            done.file, done.rows = entry.file, entry.rows
            await self._record(entry)
            for start in range(0, len(rows), _AT_ONCE):
                some = rows[start : start + _AT_ONCE]
                # Side by side, so that they share commits.
                gone = await asyncio.gather(*(self._take_out(row, seqs[row["id"]], entry) for row in some))
                done.executions += sum(gone)
                done.skipped += [row["id"] for row, is_gone in zip(some, gone, strict=True) if not is_gone]
            _log.info("archive.written", file=entry.file, executions=done.executions, rows=entry.rows)
            return done

    async def verify(self) -> dict[str, Any]:
        """Return {files, problems: [{file, problem}]} of the whole chain."""
        recorded = {row["seq"]: row["hash"] for row in await self._engine.reader.read(recorded_archives)}
        sound, problems = await asyncio.to_thread(self._folder.check, recorded)
        return {"files": sound, "problems": problems}

    async def restore(self, target: str) -> list[str]:
        """Put an execution, or all of a file that the database lacks, back; return the ids.

        Raises NotFound, ArchiveDamaged.
        """
        async with self._keys.lock:
            chain = await asyncio.to_thread(self._folder.chain)
            newest = await self._engine.reader.read(archived_in)
            if target in newest:
                entry = next((entry for entry in chain if entry.seq == newest[target]), None)
            else:
                entry = next((entry for entry in chain if _names(target, entry)), None)
            if entry is None:
                raise NotFound(
                    f"{target!r} is neither an archived execution nor a file of the chain",
                    hint="`tercet archive verify` says what is there",
                )
            restored = []
            wanted = {target} if target in newest else None
            groups = self._read(entry, wanted)
            while (group := await asyncio.to_thread(next, groups, None)) is not None:
                execution_id, rows = group
                # A newer archive of the same execution is the one to put back.
                is_newest = newest.get(execution_id, entry.seq) == entry.seq
                if is_newest and not await self._engine.reader.read(exists, execution_id):
                    await self._put_back(execution_id, rows)
                    restored.append(execution_id)
            return restored

    async def keys_in_use(self) -> dict[str, int]:
        """Return how many archive files need each key."""
        counts: dict[str, int] = {}
        for entry in await asyncio.to_thread(self._folder.chain):
            for key_id in entry.key_ids:
                counts[key_id] = counts.get(key_id, 0) + 1
        return counts

    async def _candidates(self, older_than_ms: int, after: str | None) -> list[Record]:
        return await self._engine.reader.read(
            archivable, ended_before_ms=self._engine.clock.now_ms() - older_than_ms, after=after,
            limit=_EXECUTIONS_A_FILE,
        )  # fmt: skip

    def _write(
        self, execution_ids: list[str], content: Content, seqs: dict[str, int], now_ms: int
    ) -> ArchiveFile:
        return self._folder.write(self._rows(execution_ids, content, seqs), content, now_ms=now_ms)

    def _rows(
        self, execution_ids: list[str], content: Content, seqs: dict[str, int]
    ) -> Iterator[ArchivedRow]:
        """Yield what is archived; count it, and note up to which event each execution was read."""
        for execution_id in execution_ids:
            seqs[execution_id], rows = self._engine.reader.read_now(_all_rows, execution_id)
            content.executions += 1
            for table, row in rows:
                self._seal(table, row, content)
                content.rows += 1
                yield ArchivedRow(table=table.name, execution_id=execution_id, row=row)

    def _seal(self, table: sa.Table, row: Record, content: Content) -> None:
        for column in table.columns:
            text = row[column.name]
            if text is None or not isinstance(column.type, Sealed):
                continue
            if not is_sealed(text):
                if not self._sealer.seals_all:
                    continue
                text = row[column.name] = self._sealer.ring.seal(text, belongs_to=column.type.belongs_to)
            content.key_ids.add(key_of(text))

    async def _record(self, entry: ArchiveFile) -> None:
        unit = Unit()
        unit.add(sql.INSERT_ARCHIVE, (entry.seq, entry.file, entry.hash, entry.written_at_ms))
        await self._engine.journal.submit(unit)

    async def _take_out(self, row: Record, seq: int, entry: ArchiveFile) -> bool:
        """Delete an execution's rows, unless it went on after it was read."""
        execution_id, engine = row["id"], self._engine
        try:
            approval_ids = await engine.reader.read(approvals_of, execution_id)
            async with engine.hold(execution_id) as state:
                if not state.ended or state.seq != seq:
                    return False
                unit = Unit()
                unit.streams.add(execution_id)
                leave = ("archive", execution_id)
                unit.add(sql.INSERT_UNLOCK, leave)
                unit.add(sql.INSERT_ARCHIVED, (execution_id, row["owner_id"], entry.seq, entry.written_at_ms))
                for statement in sql.ARCHIVE.values():
                    unit.add(statement, (execution_id,))
                for approval_id in approval_ids:
                    unit.add(sql.ARCHIVE_APPROVAL, (approval_id,))
                unit.add(sql.DELETE_UNLOCK, leave)
                # Whoever still holds the state is told that it is gone, instead of extending a log that is not there.
                engine.states.drop(execution_id)
                await engine.journal.submit(unit)
        except TercetError as error:
            _log.warning("archive.skipped", execution_id=execution_id, reason=str(error))
            return False
        return True

    def _read(self, entry: ArchiveFile, wanted: set[str] | None) -> Iterator[tuple[str, list[ArchivedRow]]]:
        """Yield the rows of each execution in a file, one execution at a time."""
        rows = (row for row in self._folder.read(entry) if wanted is None or row.execution_id in wanted)
        for execution_id, group in groupby(rows, lambda row: row.execution_id):
            yield execution_id, list(group)

    async def _put_back(self, execution_id: str, rows: list[ArchivedRow]) -> None:
        unit = Unit()
        for archived in rows:
            statement = sql.RESTORE[archived.table]
            unit.add(statement, tuple(archived.row.get(name) for name in statement.columns))
        unit.add(sql.DELETE_ARCHIVED, (execution_id,))
        await self._engine.journal.submit(unit)


def _all_rows(connection: sa.Connection, execution_id: str) -> tuple[int, list[tuple[sa.Table, Record]]]:
    # The number first: what changes while the rows are read then has a greater one, and the execution stays.
    return last_seq(connection, execution_id), list(rows_of(connection, execution_id))


def _names(target: str, entry: ArchiveFile) -> bool:
    """Whether a path, as a person writes it, means this file."""
    return Path(target).name == Path(entry.file).name
