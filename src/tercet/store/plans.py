"""Reads of plans."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import plans

_LISTED = [column for column in plans.c if column.name not in ("body", "problems")]


def load_plan(connection: sa.Connection, *, owner_id: str, plan_id: str) -> Record | None:
    """Return a plan, or None."""
    query = sa.select(plans).where(
        plans.c.id == plan_id, plans.c.owner_id == owner_id, plans.c.deleted_at_ms.is_(None)
    )
    return first(connection.execute(query))


def load_any_plan(connection: sa.Connection, plan_id: str) -> Record | None:
    """Return a plan of any owner, deleted or not, or None; for what runs it."""
    return first(connection.execute(sa.select(plans).where(plans.c.id == plan_id)))


def list_plans(
    connection: sa.Connection, *, owner_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return plans without their bodies, newest first."""
    query = (
        sa.select(*_LISTED)
        .where(plans.c.owner_id == owner_id, plans.c.deleted_at_ms.is_(None))
        .order_by(plans.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(plans.c.id < before)
    return records(connection.execute(query))
