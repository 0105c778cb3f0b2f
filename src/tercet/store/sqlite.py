"""Opening the SQLite store: folder lock, pragmas, migrations, the writing and the reading connections."""

from __future__ import annotations

import fcntl
import sqlite3
from pathlib import Path
from typing import IO

import sqlalchemy as sa
from sqlalchemy.pool import QueuePool

from tercet.domain.errors import AlreadyRunning, StoreUnavailable
from tercet.domain.sealing import Keyring
from tercet.store.tables.sealed import give_keyring

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA busy_timeout=10000",
    "PRAGMA wal_autocheckpoint=2000",
)


class FolderLock:
    """One process owns a data folder; a second one is refused with the first one's process id."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock or raise AlreadyRunning."""
        handle = self._path.open("a+")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            handle.seek(0)
            owner = handle.read().strip() or "unknown"
            handle.close()
            raise AlreadyRunning(
                f"another process (pid {owner}) uses the data folder {self._path.parent}",
                hint="stop it, or choose another --data-dir",
            ) from error
        self._file = handle

    def write_owner(self, pid: int) -> None:
        """Note the owner's process id for the message that a second process gets."""
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(str(pid))
            self._file.flush()

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the one writing connection. Raises StoreUnavailable when the file is no usable database."""
    try:
        connection = sqlite3.connect(path, check_same_thread=False, cached_statements=256, timeout=10)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except sqlite3.Error as error:
        raise StoreUnavailable(
            f"cannot open the database {path}: {error}", hint="check the path, its rights and the disk"
        ) from error
    return connection


def open_reader(path: Path, keyring: Keyring | None = None) -> sa.Engine:
    """Return an engine for reads: a small pool, usable from any thread. It opens sealed columns with `keyring`."""
    engine = sa.create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=8,
        connect_args={"check_same_thread": False},
    )

    if keyring is not None:
        give_keyring(engine, keyring)

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA busy_timeout=10000")
        connection.execute("PRAGMA query_only=ON")

    return engine
