"""Reads of subscriptions, deliveries and looks at masked data."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import deliveries, reveals, subscriptions

_OPEN = subscriptions.c.deleted_at_ms.is_(None)
_LISTED = [column for column in deliveries.c if column.name != "body"]


def all_subscriptions(connection: sa.Connection) -> list[Record]:
    """Return every owner's subscriptions."""
    return records(connection.execute(sa.select(subscriptions).where(_OPEN).order_by(subscriptions.c.id)))


def load_delivery(connection: sa.Connection, delivery_id: str) -> Record | None:
    """Return a delivery, or None."""
    return first(connection.execute(sa.select(deliveries).where(deliveries.c.id == delivery_id)))


def count_untried(connection: sa.Connection) -> int:
    """Return how many deliveries wait for their first attempt."""
    query = sa.select(sa.func.count()).where(deliveries.c.status == "pending", deliveries.c.attempts == 0)
    return int(connection.execute(query).scalar_one())


def list_deliveries(
    connection: sa.Connection, *, subscription_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return a subscription's deliveries without their bodies, newest first."""
    query = (
        sa.select(*_LISTED)
        .where(deliveries.c.subscription_id == subscription_id)
        .order_by(deliveries.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(deliveries.c.id < before)
    return records(connection.execute(query))


def list_reveals(
    connection: sa.Connection, *, owner_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return who looked at unmasked data, newest first."""
    query = (
        sa.select(reveals).where(reveals.c.owner_id == owner_id).order_by(reveals.c.id.desc()).limit(limit)
    )
    if before is not None:
        query = query.where(reveals.c.id < before)
    return records(connection.execute(query))
