"""The group-commit journal on SQLite (WAL, synchronous=FULL).

Statements run on the event loop's thread and only COMMIT runs on the writer thread. The other split,
everything on the writer thread, hands the interpreter lock back and forth at each row and collapses under
a busy loop (docs/decisions/0002). While a commit is on its way to the disk, the units that arrive queue up
and form the next group.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable

import structlog

from tercet.domain.errors import Conflict, StaleClaim, StoreUnavailable, TercetError
from tercet.store import custody_statements, statements
from tercet.store.sealer import Sealer
from tercet.store.unit import Row, Statement, Unit

_log = structlog.get_logger(__name__)
_MOST_ROWS_A_BATCH = 4_000
_IN_ORDER = sorted((*statements.ALL, *custody_statements.ALL), key=lambda statement: statement.phase)
_POSITION = {statement: index for index, statement in enumerate(_IN_ORDER)}


class SqliteJournal:
    """Owns the writing connection. One a process, one a database file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        inline: bool = False,
        sealer: Sealer | None = None,
        on_commit: Callable[[list[Unit]], None] = lambda units: None,
        on_lost: Callable[[list[Unit], TercetError], None] = lambda units, error: None,
    ) -> None:
        """`on_commit` hears of every group on disk; `on_lost` of units that were refused or whose commit failed.
        `inline` commits on the loop's thread, for loops with virtual time. Without a `sealer` rows are written
        as they are."""
        self._inline = inline
        self._sealer = sealer
        self._connection = connection
        self._on_commit = on_commit
        self._on_lost = on_lost
        self._pending: list[Unit] = []
        self._committing = False
        self._flush_due = False
        self._commits: queue.SimpleQueue[list[Unit] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._inline:
            return
        self._thread = threading.Thread(target=self._write, name="tercet-journal", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        await self.barrier()
        self._commits.put(None)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def submit(self, unit: Unit) -> asyncio.Future[None]:
        """Queue the unit; see `Journal.submit`."""
        loop = self._loop
        if loop is None:
            raise StoreUnavailable("the journal is not running", hint="start the engine first")
        future: asyncio.Future[None] = loop.create_future()
        unit.future = future
        self._pending.append(unit)
        if not self._committing and not self._flush_due:
            self._flush_due = True
            loop.call_soon(self._flush)
        return future

    async def barrier(self) -> None:
        """Return when everything submitted before is on disk (or was refused)."""
        await self.submit(Unit())

    def _flush(self) -> None:
        self._flush_due = False
        if self._committing or not self._pending:
            return
        batch = self._take()
        try:
            self._execute(batch)
        except sqlite3.IntegrityError:
            self._connection.rollback()
            batch = self._execute_one_by_one(batch)
        except sqlite3.Error as error:
            self._connection.rollback()
            self._lose(batch, _unavailable(error))
            batch = []
        self._committing = True
        if self._inline and self._loop is not None:
            self._loop.call_soon(self._committed, batch, self._commit())
        else:
            self._commits.put(batch)

    def _take(self) -> list[Unit]:
        rows = 0
        for index, unit in enumerate(self._pending):
            rows += len(unit.rows)
            if rows > _MOST_ROWS_A_BATCH and index:
                batch, self._pending = self._pending[:index], self._pending[index:]
                return batch
        batch, self._pending = self._pending, []
        return batch

    def _execute(self, batch: list[Unit]) -> None:
        groups: dict[Statement, list[Row]] = {}
        for unit in batch:
            for statement, row in unit.rows:
                rows = groups.get(statement)
                if rows is None:
                    groups[statement] = [row]
                else:
                    rows.append(row)
        execute_many = self._connection.executemany
        for statement in sorted(groups, key=_POSITION.__getitem__):
            rows = groups[statement]
            if statement.sealed and self._sealer is not None:
                rows = self._sealer.seal_rows(statement, rows)
            execute_many(statement.sql, rows)

    def _execute_one_by_one(self, batch: list[Unit]) -> list[Unit]:
        """Find the units that a constraint refuses; what builds on a refused unit is refused too."""
        kept: list[Unit] = []
        refused_streams: set[str] = set()
        for unit in batch:
            if unit.streams & refused_streams:
                refused_streams |= unit.streams
                self._lose([unit], StaleClaim("an earlier change of this execution was refused"))
                continue
            self._connection.execute("SAVEPOINT unit")
            try:
                self._execute([unit])
            except sqlite3.Error as error:
                self._connection.execute("ROLLBACK TO unit")
                refused_streams |= unit.streams
                self._lose([unit], _refusal(error))
            else:
                kept.append(unit)
            self._connection.execute("RELEASE unit")
        return kept

    def _write(self) -> None:
        assert self._loop is not None
        while (batch := self._commits.get()) is not None:
            error = self._commit()
            try:
                self._loop.call_soon_threadsafe(self._committed, batch, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _commit(self) -> TercetError | None:
        try:
            self._connection.commit()
        except sqlite3.Error as cause:
            return _unavailable(cause)
        return None

    def _committed(self, batch: list[Unit], error: TercetError | None) -> None:
        self._committing = False
        if error is not None:
            self._connection.rollback()
            self._lose(batch, error)
        else:
            self._on_commit(batch)
            for unit in batch:
                for callback in unit.after_commit:
                    callback()
                future = unit.future
                if future is not None and not future.done():
                    future.set_result(None)
        if self._pending:
            self._flush()

    def _lose(self, units: list[Unit], error: TercetError) -> None:
        """Tell everybody who built on these units. Units queued behind them on the same streams go too."""
        streams = {stream for unit in units for stream in unit.streams}
        if not isinstance(error, (StaleClaim, Conflict)):
            _log.error("journal.commit_failed", error=str(error.__cause__ or error), units=len(units))
        behind = [unit for unit in self._pending if unit.streams & streams]
        if behind:
            self._pending = [unit for unit in self._pending if not unit.streams & streams]
        self._on_lost([*units, *behind], error)
        for unit in (*units, *behind):
            if unit.future is not None and not unit.future.done():
                unit.future.set_exception(error)


def _unavailable(cause: sqlite3.Error) -> StoreUnavailable:
    error = StoreUnavailable(
        "the database did not take the change; nothing of it was kept", hint="see the server's log"
    )
    error.__cause__ = cause
    return error


def _refusal(cause: sqlite3.Error) -> TercetError:
    if isinstance(cause, sqlite3.IntegrityError):
        if "execution_events" in str(cause):
            return StaleClaim("another writer extended this execution first")
        return Conflict("the change breaks a rule of the database", hint="a key that must be unique is taken")
    return _unavailable(cause)
