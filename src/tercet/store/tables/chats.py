"""What chats rest on: projects, their documents, and the passages that full-text search finds."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, id_column, metadata
from tercet.store.tables.sealed import Sealed

projects = sa.Table(
    "projects",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("instructions", Sealed("projects.instructions"), nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("updated_at_ms", Ms, nullable=False),
    sa.Index(None, "owner_id", "id"),
    sqlite_with_rowid=False,
)
documents = sa.Table(
    "documents",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("project_id", Id, nullable=False),
    sa.Column("title", sa.String(500), nullable=False),
    sa.Column("filename", sa.String(500), nullable=False),
    sa.Column("mime_type", sa.String(200)),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("passages", sa.Integer, nullable=False),
    sa.Column("created_by", sa.String(200), nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Index(None, "project_id", "id"),
    sqlite_with_rowid=False,
)
document_passages = sa.Table(
    "document_passages",
    metadata,
    # SQLite's full-text index refers to passages by their row number.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("document_id", Id, nullable=False),
    sa.Column("project_id", Id, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("title", sa.String(500), nullable=False),
    sa.Column("place", sa.String(500), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Index(None, "document_id", "number"),
    sa.Index(None, "project_id"),
)
"""The full-text index over `title` and `text` is the database's own: see migration 0006 and `store.passages`."""
