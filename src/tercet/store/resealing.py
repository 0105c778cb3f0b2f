"""Reads of sealed columns as they are stored: which keys they use, and what a rotation has to seal again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tercet.domain.sealing import SEALED, is_sealed
from tercet.store.custody_statements import sealed_columns, stored
from tercet.store.tables import metadata
from tercet.store.tables.sealed import Sealed

OTHER = "?"
"""Stands for sealed texts whose key is in no keyring."""


@dataclass(frozen=True, kw_only=True)
class StoredText:
    """One stored text that the sealing key has not sealed."""

    table: str
    column: str
    key: tuple[Any, ...]
    """The row's primary key."""
    text: str
    belongs_to: str


TABLES: tuple[sa.Table, ...] = tuple(table for table in metadata.sorted_tables if sealed_columns(table))
"""In the order in which a rotation goes through them."""


def count_by_key(connection: sa.Connection, key_ids: Sequence[str]) -> Counter[str]:
    """Return how many stored texts each key has sealed, and how many an unknown one (`OTHER`)."""
    counts: Counter[str] = Counter()
    for table in TABLES:
        for column in sealed_columns(table):
            known = [sa.func.count().filter(_sealed_by(column, key_id)) for key_id in key_ids]
            row = connection.execute(sa.select(sa.func.count().filter(_any_key(column)), *known)).one()
            counts.update(dict(zip(key_ids, row[1:], strict=True)))
            counts[OTHER] += row[0] - sum(row[1:])
    return counts


def holds_sealed_text(connection: sa.Connection) -> bool:
    """Return whether anything in the database is sealed."""
    return any(
        connection.scalar(sa.select(sa.literal(1)).select_from(table).where(_any_key(column)).limit(1))
        for table in TABLES
        for column in sealed_columns(table)
    )


def stale_texts(
    connection: sa.Connection,
    table: sa.Table,
    *,
    key_id: str,
    plain_too: bool,
    after: Sequence[Any] | None,
    limit: int,
) -> tuple[list[StoredText], list[Any] | None]:
    """Return texts that `key_id` has not sealed, of `limit` rows after a key, and the last row's key.

    `plain_too` includes text that nobody has sealed. The key is None when there are no more rows.
    """
    keys, columns = list(table.primary_key), sealed_columns(table)
    query = (
        sa.select(*keys, *(stored(column).label(f"text_{column.name}") for column in columns))
        .where(sa.or_(*(_is_stale(column, key_id, plain_too=plain_too) for column in columns)))
        .order_by(*keys)
        .limit(limit)
    )
    if after is not None:
        query = query.where(sa.tuple_(*keys) > sa.tuple_(*(sa.literal(value) for value in after)))
    rows = connection.execute(query).all()
    found = []
    for row in rows:
        key = tuple(row[: len(keys)])
        for column, text in zip(columns, row[len(keys) :], strict=True):
            if text is not None and _wants_sealing(column, text, key_id, plain_too=plain_too):
                belongs_to = column.type.belongs_to if isinstance(column.type, Sealed) else str(key[0])
                found.append(
                    StoredText(
                        table=table.name, column=column.name, key=key, text=text, belongs_to=belongs_to
                    )
                )
    return found, list(rows[-1][: len(keys)]) if len(rows) == limit else None


def _is_secret(column: sa.Column[str]) -> bool:
    return not isinstance(column.type, Sealed)


def _prefixes(column: sa.Column[str], key_id: str) -> tuple[str, ...]:
    """Return how texts of a key begin; version 0.1 wrote secrets as `KEY_ID.BASE64`."""
    prefix = f"{SEALED}{key_id}:"
    return (prefix, f"{key_id}.") if _is_secret(column) else (prefix,)


def _begins_with(column: sa.Column[str], prefix: str) -> sa.ColumnElement[bool]:
    return sa.func.substr(stored(column), 1, len(prefix)) == prefix


def _sealed_by(column: sa.Column[str], key_id: str) -> sa.ColumnElement[bool]:
    return sa.or_(*(_begins_with(column, prefix) for prefix in _prefixes(column, key_id)))


def _any_key(column: sa.Column[str]) -> sa.ColumnElement[bool]:
    return stored(column).is_not(None) if _is_secret(column) else _begins_with(column, SEALED)


def _is_stale(column: sa.Column[str], key_id: str, *, plain_too: bool) -> sa.ColumnElement[bool]:
    fresh = _begins_with(column, _prefixes(column, key_id)[0])
    present = stored(column).is_not(None) if plain_too else _any_key(column)
    return sa.and_(present, sa.not_(fresh))


def _wants_sealing(column: sa.Column[str], text: str, key_id: str, *, plain_too: bool) -> bool:
    if text.startswith(_prefixes(column, key_id)[0]):
        return False
    return plain_too or is_sealed(text) or _is_secret(column)
