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
    for table, query in _ROWS.items():
        for row in connection.execute(query, {"execution_id": execution_id}).mappings():
            yield table, dict(row)


def _rows_query(table: sa.Table) -> sa.Select[Any]:
    """Return the query for the rows of the execution `execution_id`; made once, because making it takes longest."""
    key: sa.BindParameter[str] = sa.bindparam("execution_id")
    if table is executions:
        mine: sa.ColumnElement[bool] = table.c.id == key
    elif table is execution_subtasks:
        mine = table.c.task_id.in_(
            sa.select(execution_tasks.c.id).where(execution_tasks.c.execution_id == key)
        )
    elif table is approvals:
        mine = table.c.id.in_(
            sa.select(approval_items.c.approval_id).where(approval_items.c.execution_id == key)
        )
    else:
        mine = table.c.execution_id == key
    columns = [stored(c).label(c.name) if isinstance(c.type, Sealed) else c for c in table.columns]
    order = [execution_events.c.seq] if table is execution_events else list(table.primary_key)
    return sa.select(*columns).where(mine).order_by(*order)


_ROWS = {table: _rows_query(table) for table in (*OF_EXECUTIONS, approvals)}


def approvals_of(connection: sa.Connection, execution_id: str) -> list[str]:
    """Return the approvals that an execution has items in."""
    query = sa.select(approval_items.c.approval_id).where(approval_items.c.execution_id == execution_id)
    return list(connection.scalars(query.distinct()))


def last_seq(connection: sa.Connection, execution_id: str) -> int:
    """Return the number of an execution's newest event."""
    newest = sa.select(sa.func.max(execution_events.c.seq))
    return int(connection.scalar(newest.where(execution_events.c.execution_id == execution_id)) or 0)


def exists(connection: sa.Connection, execution_id: str) -> bool:
    """Return whether the database has the execution."""
    return connection.scalar(sa.select(executions.c.id).where(executions.c.id == execution_id)) is not None


def archived_in(connection: sa.Connection, *, owner_id: str | None = None) -> dict[str, int]:
    """Return the archive of each archived execution, over all or of one owner."""
    query: sa.Select[Any] = sa.select(archived_executions.c.execution_id, archived_executions.c.archive_seq)
    if owner_id is not None:
        query = query.where(archived_executions.c.owner_id == owner_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def is_archived(connection: sa.Connection, *, owner_id: str, execution_id: str) -> bool:
    """Return whether an execution is an owner's, and in an archive."""
    query = sa.select(archived_executions.c.archive_seq).where(
        archived_executions.c.execution_id == execution_id, archived_executions.c.owner_id == owner_id
    )
    return connection.scalar(query) is not None


def recorded_archives(connection: sa.Connection) -> list[Record]:
    """Return what the database knows of the chain, oldest first."""
    return records(connection.execute(sa.select(archives).order_by(archives.c.seq)))


def is_scheduled(connection: sa.Connection) -> bool:
    """Return whether a timer waits for the next daily run."""
    return connection.scalar(sa.select(timers.c.id).where(timers.c.kind == TIMER).limit(1)) is not None
