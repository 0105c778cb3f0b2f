"""Runs reads off the event loop, each in its own short transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

from tercet.domain.errors import StoreUnavailable

P = ParamSpec("P")
T = TypeVar("T")
Record = dict[str, Any]
"""A row by column name."""


class Reader:
    """`await reader.read(query, …)` calls `query(connection, …)` on a reading thread.

    `inline` runs the query on the caller's thread, for loops with virtual time.
    """

    def __init__(self, engine: sa.Engine, *, threads: int = 4, inline: bool = False) -> None:
        self._engine = engine
        self._pool = None if inline else ThreadPoolExecutor(threads, thread_name_prefix="tercet-read")

    async def read(
        self, query: Callable[Concatenate[sa.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run the query. Raises StoreUnavailable when the database does not answer."""
        if self._pool is None:
            return self.read_now(query, *args, **kwargs)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: self.read_now(query, *args, **kwargs))

    def read_now(
        self, query: Callable[Concatenate[sa.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run the query on this thread."""
        try:
            with self._engine.connect() as connection:
                return query(connection, *args, **kwargs)
        except sa.exc.OperationalError as error:
            raise StoreUnavailable("the database does not answer", hint="see the server's log") from error

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._engine.dispose()


def records(result: sa.CursorResult[Any]) -> list[Record]:
    """Return all rows as dicts."""
    return [dict(row) for row in result.mappings()]


def first(result: sa.CursorResult[Any]) -> Record | None:
    """Return the first row as a dict, or None."""
    row = result.mappings().first()
    return None if row is None else dict(row)
