"""A database with a million events, as long use leaves it: many executions, and one that is very long."""

from __future__ import annotations

from pathlib import Path

from tercet.store import statements as sql
from tercet.store.migrate import migrate
from tercet.store.sqlite import open_writer

EVENTS = 1_000_000
_LONG = 200_000
_EXECUTIONS = 4_000
_NOW_MS = 1_790_000_000_000


def fill_events(database: Path) -> list[str]:
    """Write the rows; return the ids of the executions, the long one first."""
    migrate(f"sqlite:///{database}")
    connection = open_writer(database)
    ids = [f"exe_{number:026}" for number in range(_EXECUTIONS)]
    connection.executemany(sql.INSERT_EXECUTION.sql, [
        (name, "local", "manifest", "bench", None, None, "COMPLETED" if number % 3 else "BLOCKED", None, 1, 1, False, False,
         _NOW_MS, _NOW_MS, _NOW_MS, _NOW_MS, None, None, None)
        for number, name in enumerate(ids)
    ])  # fmt: skip
    each = (EVENTS - _LONG) // (_EXECUTIONS - 1)
    for number, name in enumerate(ids):
        count = _LONG if number == 0 else each
        for start in range(1, count + 1, 50_000):
            connection.executemany(sql.INSERT_EVENT.sql, [
                (name, seq, "task_complete" if seq % 10 == 0 else "task_progress", "step", None, None, "agent", "running",
                 "Collected the next page", '{"page":3}', None, None, None, _NOW_MS, None)
                for seq in range(start, min(start + 50_000, count + 1))
            ])  # fmt: skip
    connection.commit()
    connection.close()
    return ids
