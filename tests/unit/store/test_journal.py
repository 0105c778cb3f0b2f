"""The journal: groups, order, refusal, loss; and the schema that it writes to."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tercet.domain.errors import AlreadyRunning, Conflict, StaleClaim, StoreUnavailable
from tercet.store import migrate as migration
from tercet.store import statements as sql
from tercet.store.migrate import HEAD, migrate
from tercet.store.sqlite import FolderLock, open_writer
from tercet.store.sqlite_journal import SqliteJournal
from tercet.store.tables import metadata
from tercet.store.unit import Unit


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "t.db"
    migrate(f"sqlite:///{path}")
    return path


def event(execution_id: str, seq: int) -> Unit:
    unit = Unit()
    unit.streams.add(execution_id)
    row = (
        execution_id,
        seq,
        "event_recorded",
        "a.b",
        None,
        None,
        None,
        None,
        None,
        "{}",
        None,
        None,
        None,
        1,
        None,
    )
    unit.add(sql.INSERT_EVENT, row)
    return unit


def key(name: str) -> Unit:
    unit = Unit()
    unit.add(sql.INSERT_EVENT_KEY, ("o", name, "d", "e", 1, 1))
    return unit


def stored(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT execution_id, seq FROM execution_events ORDER BY position").fetchall()
    connection.close()
    return rows


async def test_units_are_on_disk_in_order_when_their_futures_end(database):
    groups: list[int] = []
    journal = SqliteJournal(open_writer(database), on_commit=lambda units: groups.append(len(units)))
    await journal.start()

    await asyncio.gather(*(journal.submit(event("e", n)) for n in range(1, 51)))

    assert stored(database) == [("e", n) for n in range(1, 51)]
    assert max(groups) > 1
    await journal.stop()


async def test_a_stale_writer_is_refused_with_all_that_builds_on_it_and_nobody_else(database):
    lost: list[str] = []
    journal = SqliteJournal(
        open_writer(database), on_lost=lambda units, _error: lost.extend(s for u in units for s in u.streams)
    )
    await journal.start()
    await journal.submit(event("a", 1))

    results = await asyncio.gather(
        journal.submit(event("b", 1)), journal.submit(event("a", 1)), journal.submit(event("a", 2)),
        journal.submit(event("b", 2)), return_exceptions=True,
    )  # fmt: skip

    assert [type(result) for result in results] == [type(None), StaleClaim, StaleClaim, type(None)]
    assert stored(database) == [("a", 1), ("b", 1), ("b", 2)]
    assert lost == ["a", "a"]
    await journal.stop()


async def test_a_doubled_key_is_a_conflict(database):
    journal = SqliteJournal(open_writer(database))
    await journal.start()
    await journal.submit(key("k"))

    with pytest.raises(Conflict):
        await journal.submit(key("k"))

    await journal.stop()


async def test_nothing_of_a_group_is_kept_when_the_database_cannot_write(database):
    journal = SqliteJournal(open_writer(database))
    await journal.start()
    await journal.submit(event("a", 1))
    blocker = sqlite3.connect(database)
    blocker.execute("DROP TABLE execution_events")
    blocker.commit()
    blocker.close()

    results = await asyncio.gather(
        journal.submit(event("a", 2)), journal.submit(key("k")), return_exceptions=True
    )

    assert [type(result) for result in results] == [StoreUnavailable, StoreUnavailable]
    await journal.stop()


@pytest.mark.parametrize(
    "statement", ["UPDATE execution_events SET name = 'x'", "DELETE FROM execution_events"]
)
async def test_the_database_refuses_to_change_the_log(database, statement):
    journal = SqliteJournal(open_writer(database))
    await journal.start()
    await journal.submit(event("a", 1))
    await journal.stop()
    connection = sqlite3.connect(database)

    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)

    connection.close()


def test_replaying_all_migrations_gives_the_tables(database):
    engine = sa.create_engine(f"sqlite:///{database}", poolclass=sa.NullPool)
    with engine.connect() as connection:
        # A full-text index and its own tables are the database's, not ours.
        options = {"include_name": lambda name, kind, _: kind != "table" or "document_index" not in name}
        difference = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    assert difference == []


def test_head_is_the_newest_migration_in_the_folder():
    folder = Path(migration.__file__).parent / "migrations" / "versions"

    assert max(path.name[:4] for path in folder.glob("0*.py")) == HEAD


def test_a_database_of_a_newer_version_is_refused(database):
    connection = sqlite3.connect(database)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()

    with pytest.raises(StoreUnavailable, match="this version knows"):
        migrate(f"sqlite:///{database}")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "t.db"
    path.write_bytes(b"not a database at all" * 100)

    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        migrate(f"sqlite:///{path}")


def test_a_second_owner_of_a_folder_is_refused_with_the_first_ones_pid(tmp_path):
    first, second = FolderLock(tmp_path), FolderLock(tmp_path)
    first.acquire()
    first.write_owner(4711)

    with pytest.raises(AlreadyRunning, match="4711"):
        second.acquire()

    first.release()
    second.acquire()
    second.release()


def test_every_statement_compiles_for_postgresql_too():
    from sqlalchemy.dialects.postgresql.base import PGDialect
    from sqlalchemy.schema import CreateIndex, CreateTable

    dialect: sa.Dialect = PGDialect()  # type: ignore[no-untyped-call]

    for table in metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=dialect))
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect))
