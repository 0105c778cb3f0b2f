"""Chats: projects, documents with full-text search, conversations of projects.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SQLITE = (
    "CREATE VIRTUAL TABLE document_index USING fts5("
    "title, text, content='document_passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    "CREATE TRIGGER document_passages_added AFTER INSERT ON document_passages BEGIN "
    "INSERT INTO document_index(rowid, title, text) VALUES (new.id, new.title, new.text); END",
    "CREATE TRIGGER document_passages_removed AFTER DELETE ON document_passages BEGIN "
    "INSERT INTO document_index(document_index, rowid, title, text) "
    "VALUES ('delete', old.id, old.title, old.text); END",
)
_POSTGRESQL = (
    "ALTER TABLE document_passages ADD COLUMN search tsvector "
    "GENERATED ALWAYS AS (to_tsvector('simple', title || ' ' || text)) STORED",
    "CREATE INDEX ix_document_passages_search ON document_passages USING gin (search)",
)


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_projects_owner_id_id"), "projects", ["owner_id", "id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=False),
        sa.Column("filename", sa.String(length=500), nullable=False),
        sa.Column("mime_type", sa.String(length=200), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("passages", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.String(length=200), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_documents_project_id_id"), "documents", ["project_id", "id"], unique=False)
    op.create_table(
        "document_passages",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=False),
        sa.Column("place", sa.String(length=500), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_passages")),
    )
    op.create_index(
        op.f("ix_document_passages_document_id_number"), "document_passages", ["document_id", "number"]
    )
    op.create_index(op.f("ix_document_passages_project_id"), "document_passages", ["project_id"])
    for table, column in (
        ("conversations", sa.Column("project_id", sa.String(length=64), nullable=True)),
        ("conversations", sa.Column("title", sa.String(length=200), nullable=True)),
        ("conversations", sa.Column("updated_at_ms", sa.BigInteger(), nullable=True)),
        ("conversation_messages", sa.Column("message_id", sa.String(length=64), nullable=True)),
        ("conversation_messages", sa.Column("detail", sa.Text(), nullable=True)),
        ("conversation_messages", sa.Column("cost_picousd", sa.BigInteger(), nullable=True)),
    ):
        op.add_column(table, column)
    op.create_index(op.f("ix_conversations_project_id_id"), "conversations", ["project_id", "id"])
    sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in _SQLITE if sqlite else _POSTGRESQL:
        op.execute(statement)
