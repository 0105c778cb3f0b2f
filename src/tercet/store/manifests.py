"""Reads of manifests."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import manifests, timers


def load_manifest(connection: sa.Connection, manifest_id: str) -> Record | None:
    """Return one revision."""
    return first(connection.execute(sa.select(manifests).where(manifests.c.id == manifest_id)))


def latest_manifests(connection: sa.Connection) -> list[Record]:
    """Return the newest revision of every manifest of every owner."""
    newest = (
        sa.select(manifests.c.owner_id, manifests.c.name, sa.func.max(manifests.c.revision).label("revision"))
        .group_by(manifests.c.owner_id, manifests.c.name)
        .subquery()
    )
    query = (
        sa.select(manifests)
        .join(
            newest,
            sa.and_(
                newest.c.owner_id == manifests.c.owner_id,
                newest.c.name == manifests.c.name,
                newest.c.revision == manifests.c.revision,
            ),
        )
        .order_by(manifests.c.name)
    )
    return records(connection.execute(query))


def revisions_of(connection: sa.Connection, owner_id: str, name: str) -> list[Record]:
    """Return all revisions of a manifest, newest first."""
    return records(
        connection.execute(
            sa.select(manifests)
            .where(manifests.c.owner_id == owner_id, manifests.c.name == name)
            .order_by(manifests.c.revision.desc())
        )
    )


def cron_timers(connection: sa.Connection) -> list[Record]:
    """Return the timers of cron functions."""
    return records(connection.execute(sa.select(timers).where(timers.c.kind == "cron")))
