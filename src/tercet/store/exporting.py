"""Reads for an export: every table's rows of one owner, as they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from tercet.store.custody_statements import stored
from tercet.store.reader import Record, records
from tercet.store.tables import approvals, conversations, documents, execution_events, executions, metadata
from tercet.store.tables.sealed import Sealed

_PARENTS = {
    "execution_id": executions, "approval_id": approvals, "conversation_id": conversations, "document_id": documents,
}  # fmt: skip
_SECRET = ("token_digest", "lease_token")


def exported_tables() -> list[sa.Table]:
    """Return the tables that hold something of an owner."""
    return [table for table in metadata.sorted_tables if _may_be_owned(table)]


def exported_columns(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns that an export shows: all but secrets."""
    return [c for c in table.columns if c.name not in _SECRET and not c.name.endswith("_sealed")]


def owned_rows(
    connection: sa.Connection, table: sa.Table, *, owner_id: str, after: Sequence[Any] | None, limit: int
) -> list[Record]:
    """Return rows of an owner after a primary key, in its order, sealed text unopened."""
    keys = list(table.primary_key)
    columns = [stored(c).label(c.name) if isinstance(c.type, Sealed) else c for c in exported_columns(table)]
    query = sa.select(*columns).where(_owned(table, owner_id)).order_by(*keys).limit(limit)
    if after is not None:
        query = query.where(sa.tuple_(*keys) > sa.tuple_(*(sa.literal(value) for value in after)))
    return records(connection.execute(query))


def events_of(connection: sa.Connection, execution_id: str) -> list[Record]:
    """Return an execution's events, oldest first, sealed text unopened."""
    columns = [stored(c).label(c.name) if isinstance(c.type, Sealed) else c for c in execution_events.columns]
    query = sa.select(*columns).where(execution_events.c.execution_id == execution_id)
    return records(connection.execute(query.order_by(execution_events.c.seq)))


def _may_be_owned(table: sa.Table) -> bool:
    return "owner_id" in table.c or any(name in table.c for name in _PARENTS)


def _owned(table: sa.Table, owner_id: str) -> sa.ColumnElement[bool]:
    if "owner_id" in table.c:
        mine: sa.ColumnElement[bool] = table.c.owner_id == owner_id
        return mine
    return sa.or_(
        *(
            table.c[name].in_(sa.select(parent.c.id).where(parent.c.owner_id == owner_id))
            for name, parent in _PARENTS.items()
            if name in table.c
        )
    )
