"""What became of data: archives, the executions in them, and the leave to touch append-only rows."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, metadata

unlocks = sa.Table(
    "unlocks",
    metadata,
    sa.Column("purpose", sa.String(20), primary_key=True),
    sa.Column("subject", Id, primary_key=True),
    sqlite_with_rowid=False,
)
"""Rows are here only within a transaction: `archive` lets it delete an execution's events, `reseal` change ciphertext."""

archives = sa.Table(
    "archives",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("file", sa.String(200), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("written_at_ms", Ms, nullable=False),
)
"""The hash of each entry of `chain.jsonl`, so that a chain that was cut short is noticed."""

archived_executions = sa.Table(
    "archived_executions",
    metadata,
    sa.Column("execution_id", Id, primary_key=True),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("archive_seq", sa.Integer, nullable=False),
    sa.Column("archived_at_ms", Ms, nullable=False),
    sa.Index(None, "owner_id"),
    sqlite_with_rowid=False,
)
"""Executions whose rows are in an archive and no longer in the database."""
