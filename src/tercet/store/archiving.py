"""Reads for archives: which executions may go, and every row of one as it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from tercet.domain.status import EXECUTION_ENDED
from tercet.store.custody_statements import OF_EXECUTIONS, stored
from tercet.store.reader import Record, records
from tercet.store.tables import (
    approval_items,
    approvals,
    archived_executions,
    archives,
    execution_events,
    execution_subtasks,
    execution_tasks,
    executions,
    timers,
)
from tercet.store.tables.sealed import Sealed

_ENDED_AT_MS = sa.func.coalesce(executions.c.completed_at_ms, executions.c.updated_at_ms)
_PAGE = 1_000
TIMER = "archive"
"""The kind of timer that starts a daily run."""


def archivable(
    connection: sa.Connection, *, ended_before_ms: int, after: str | None, limit: int
) -> list[Record]:
    """Return `id` and `owner_id` of executions that ended before a time, by id.

    One that shares a pending approval with others stays until that is decided.
    """
    pending = (
        sa.select(approval_items.c.id)
        .join(approvals, approvals.c.id == approval_items.c.approval_id)
        .where(approval_items.c.execution_id == executions.c.id, approvals.c.status == "pending")
    )
    query = (
        sa.select(executions.c.id, executions.c.owner_id)
        .where(
            executions.c.status.in_(sorted(EXECUTION_ENDED)),
            ended_before_ms >= _ENDED_AT_MS,
            ~sa.exists(pending),
        )
        .order_by(executions.c.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(executions.c.id > after)
    return records(connection.execute(query))


def rows_of(connection: sa.Connection, execution_id: str) -> Iterator[tuple[sa.Table, Record]]:
    """Yield every row of an execution with its table, sealed text unopened; approvals with their items."""
    for table in OF_EXECUTIONS:
        if table is executions:
            mine: sa.ColumnElement[bool] = table.c.id == execution_id
        elif table is execution_subtasks:
            tasks = sa.select(execution_tasks.c.id).where(execution_tasks.c.execution_id == execution_id)
            mine = table.c.task_id.in_(tasks)
        else:
            mine = table.c.execution_id == execution_id
        yield from _stored_rows(connection, table, mine)
    shared = sa.select(approval_items.c.approval_id).where(approval_items.c.execution_id == execution_id)
    yield from _stored_rows(connection, approvals, approvals.c.id.in_(shared))


def _stored_rows(
    connection: sa.Connection, table: sa.Table, condition: sa.ColumnElement[bool]
) -> Iterator[tuple[sa.Table, Record]]:
    columns = [stored(c).label(c.name) if isinstance(c.type, Sealed) else c for c in table.columns]
    order = [execution_events.c.seq] if table is execution_events else list(table.primary_key)
    query = sa.select(*columns).where(condition).order_by(*order).execution_options(yield_per=_PAGE)
    for row in connection.execute(query).mappings():
        yield table, dict(row)


def approvals_of(connection: sa.Connection, execution_id: str) -> list[str]:
    """Return the approvals that an execution has items in."""
    query = sa.select(approval_items.c.approval_id).where(approval_items.c.execution_id == execution_id)
    return list(connection.scalars(query.distinct()))


def exists(connection: sa.Connection, execution_id: str) -> bool:
    """Return whether the database has the execution."""
    return connection.scalar(sa.select(executions.c.id).where(executions.c.id == execution_id)) is not None


def archived_in(connection: sa.Connection, *, owner_id: str | None = None) -> dict[str, int]:
    """Return the archive of each archived execution, over all or of one owner."""
    query: sa.Select[Any] = sa.select(archived_executions.c.execution_id, archived_executions.c.archive_seq)
    if owner_id is not None:
        query = query.where(archived_executions.c.owner_id == owner_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def recorded_archives(connection: sa.Connection) -> list[Record]:
    """Return what the database knows of the chain, oldest first."""
    return records(connection.execute(sa.select(archives).order_by(archives.c.seq)))


def is_scheduled(connection: sa.Connection) -> bool:
    """Return whether a timer waits for the next daily run."""
    return connection.scalar(sa.select(timers.c.id).where(timers.c.kind == TIMER).limit(1)) is not None
