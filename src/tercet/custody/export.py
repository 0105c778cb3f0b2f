"""Everything of one owner as a zip: JSON lines by table, what was archived, and pages that a person can read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from tercet.custody.readable import execution_page, readme
from tercet.domain.clock import Clock
from tercet.domain.codec import from_json, to_json
from tercet.domain.sealing import CannotOpen, Keyring, is_sealed
from tercet.store.archive_files import ArchiveFolder
from tercet.store.archiving import archived_in
from tercet.store.exporting import events_of, exported_columns, exported_tables, owned_rows
from tercet.store.reader import Reader, Record
from tercet.store.tables import executions, metadata
from tercet.store.tables.sealed import Sealed

_PAGE = 500
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Export:
    """Writes exports. They are no snapshot: what happens meanwhile may be in or not."""

    def __init__(self, reader: Reader, archives: ArchiveFolder, ring: Keyring, clock: Clock) -> None:
        self._reader = reader
        self._archives = archives
        self._ring = ring
        self._clock = clock

    def stream(self, owner_id: str) -> Iterator[bytes]:
        """Return the zip in pieces; draw them in a thread, because it reads the database and files."""
        return self._stream(owner_id, self._clock.now_ms())

    def _stream(self, owner_id: str, now_ms: int) -> Iterator[bytes]:
        sink = _Sink()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
            for name, lines in self._entries(owner_id, now_ms):
                info = zipfile.ZipInfo(name, _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                with packed.open(info, "w", force_zip64=True) as entry:
                    for line in lines:
                        entry.write(line.encode())
                        if sink.size > 1 << 16:
                            yield sink.take()
        yield sink.take()

    def _entries(self, owner_id: str, now_ms: int) -> Iterator[tuple[str, Iterator[str]]]:
        yield "README.md", iter([readme(owner_id, [t.name for t in exported_tables()], now_ms)])
        for table in exported_tables():
            yield f"tables/{table.name}.jsonl", (to_json(row) + "\n" for row in self._rows(table, owner_id))
        for execution in self._rows(executions, owner_id):
            events = [
                self._opened("execution_events", row)
                for row in self._reader.read_now(events_of, execution["id"])
            ]
            yield f"readable/{execution['id']}.md", iter([execution_page(execution, events)])
        yield from self._archived_entries(owner_id)

    def _rows(self, table: sa.Table, owner_id: str) -> Iterator[Record]:
        after: list[Any] | None = None
        while True:
            rows = self._reader.read_now(owned_rows, table, owner_id=owner_id, after=after, limit=_PAGE)
            for row in rows:
                yield self._opened(table.name, row)
            if len(rows) < _PAGE:
                return
            after = [rows[-1][column.name] for column in table.primary_key]

    def _archived_entries(self, owner_id: str) -> Iterator[tuple[str, Iterator[str]]]:
        archived = self._reader.read_now(archived_in, owner_id=owner_id)
        for entry in self._archives.chain() if archived else []:
            if entry.seq not in archived.values():
                continue
            mine = (row for row in self._archives.read(entry) if archived.get(row.execution_id) == entry.seq)
            for execution_id, group in groupby(mine, lambda row: row.execution_id):
                rows = [(row.table, self._opened(row.table, row.row)) for row in group]
                yield (
                    f"archived/{execution_id}.jsonl",
                    (to_json({"table": table, "row": row}) + "\n" for table, row in rows),
                )
                events = [row for table, row in rows if table == "execution_events"]
                head = next(row for table, row in rows if table == "executions")
                yield f"readable/{execution_id}.md", iter([execution_page(head, events)])

    def _opened(self, table: str, row: Record) -> Record:
        """Open what is sealed, parse what is JSON, leave out secrets, name what no key opens."""
        out: Record = {}
        unreadable = []
        for column in exported_columns(metadata.tables[table]):
            value = row.get(column.name)
            if isinstance(value, str) and isinstance(column.type, Sealed) and is_sealed(value):
                try:
                    value = self._ring.open(value, belongs_to=column.type.belongs_to)
                except CannotOpen:
                    value = None
                    unreadable.append(column.name)
            out[column.name] = _parsed(value) if isinstance(column.type, sa.Text | Sealed) else value
        return {**out, "unreadable": unreadable} if unreadable else out


class _Sink:
    """What a zip is written into and taken out of in pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        """Keep a piece."""
        self._pieces.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """What was written can still be taken."""

    def take(self) -> bytes:
        """Return what was written since the last time."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        self.size = 0
        return taken


def _parsed(value: Any) -> Any:
    """Return JSON objects and lists as such, so that a line is readable; other text stays text."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return from_json(value)
    except ValueError:
        return value
