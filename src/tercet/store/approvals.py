"""Reads of approvals and their items."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import approval_items, approvals


def load_approval(connection: sa.Connection, approval_id: str) -> Record | None:
    """Return an approval with its `items`, or None."""
    row = first(connection.execute(sa.select(approvals).where(approvals.c.id == approval_id)))
    if row is None:
        return None
    row["items"] = records(
        connection.execute(
            sa.select(approval_items)
            .where(approval_items.c.approval_id == approval_id)
            .order_by(approval_items.c.id)
        )
    )
    return row


def find_open_bundle(
    connection: sa.Connection, *, owner_id: str, handler: str, bundle_key: str
) -> str | None:
    """Return the id of the pending approval of a bundle."""
    found: str | None = connection.scalar(
        sa.select(approvals.c.id).where(
            approvals.c.owner_id == owner_id,
            approvals.c.handler == handler,
            approvals.c.bundle_key == bundle_key,
            approvals.c.status == "pending",
        )
    )
    return found


def load_item(connection: sa.Connection, item_id: str) -> Record | None:
    """Return one item with its approval's `handler`."""
    return first(
        connection.execute(
            sa.select(approval_items, approvals.c.handler)
            .join(approvals, approvals.c.id == approval_items.c.approval_id)
            .where(approval_items.c.id == item_id)
        )
    )


def open_items_of(connection: sa.Connection, execution_id: str) -> list[Record]:
    """Return an execution's items that nobody has decided."""
    return records(
        connection.execute(
            sa.select(approval_items).where(
                approval_items.c.execution_id == execution_id, approval_items.c.status == "pending"
            )
        )
    )


def list_approvals(
    connection: sa.Connection, *, owner_id: str, status: str | None, limit: int, after: str | None
) -> list[Record]:
    """Return approvals, oldest first (an inbox is worked off from its oldest end)."""
    query = sa.select(approvals).where(approvals.c.owner_id == owner_id).order_by(approvals.c.id).limit(limit)
    if status is not None:
        query = query.where(approvals.c.status == status)
    if after is not None:
        query = query.where(approvals.c.id > after)
    return records(connection.execute(query))


def count_pending(connection: sa.Connection, *, owner_id: str) -> int:
    """Return how many of an owner's approvals wait for people."""
    query = sa.select(sa.func.count()).where(
        approvals.c.owner_id == owner_id, approvals.c.status == "pending"
    )
    return connection.scalar(query) or 0
