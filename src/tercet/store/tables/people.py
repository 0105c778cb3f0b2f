"""What people and money decide: approvals with their items, the ledger, tokens."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, id_column, metadata
from tercet.store.tables.sealed import Sealed

approvals = sa.Table(
    "approvals",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("execution_id", Id),
    sa.Column("handler", sa.String(200), nullable=False),
    sa.Column("bundle_key", sa.String(500)),
    sa.Column("title", Sealed("approvals.title"), nullable=False),
    sa.Column("status", sa.String(30), nullable=False),
    sa.Column("spec", Sealed("approvals.spec"), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("items_total", sa.Integer, nullable=False),
    sa.Column("items_open", sa.Integer, nullable=False),
    sa.Column("requested_by", sa.String(200)),
    sa.Column("assigned_to", sa.Text),
    sa.Column("reminders_sent", sa.Integer, nullable=False),
    sa.Column("ready_at_ms", Ms),
    sa.Column("escalated_at_ms", Ms),
    sa.Column("expires_at_ms", Ms),
    sa.Column("decided_at_ms", Ms),
    sa.Column("decided_by", sa.String(200)),
    sa.Column("decision", sa.String(30)),
    sa.Column("option", sa.String(200)),
    sa.Column("feedback", Sealed("approvals.feedback")),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Index(None, "owner_id", "status", "id"),
    sqlite_with_rowid=False,
)
sa.Index(
    "ix_approvals_open_bundle",
    approvals.c.owner_id,
    approvals.c.handler,
    approvals.c.bundle_key,
    sqlite_where=approvals.c.status == "pending",
    postgresql_where=approvals.c.status == "pending",
)

approval_items = sa.Table(
    "approval_items",
    metadata,
    id_column(),
    sa.Column("approval_id", Id, nullable=False),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("task_id", Id, nullable=False),
    sa.Column("subtask_id", sa.String(200)),
    sa.Column("title", Sealed("approval_items.title"), nullable=False),
    sa.Column("data", Sealed("approval_items.data"), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("status", sa.String(30), nullable=False),
    sa.Column("edits", Sealed("approval_items.edits")),
    sa.Column("feedback", Sealed("approval_items.feedback")),
    sa.Column("decided_by", sa.String(200)),
    sa.Column("decided_at_ms", Ms),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Index(None, "approval_id"),
    sa.Index(None, "execution_id"),
    sqlite_with_rowid=False,
)

ledger = sa.Table(
    "ledger",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("task_id", Id, nullable=False),
    sa.Column("subtask_id", sa.String(200), nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),
    sa.Column("executor_type", sa.String(50), nullable=False),
    sa.Column("model", sa.String(200)),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("reserved_picousd", sa.BigInteger, nullable=False),
    sa.Column("reserved_tokens", sa.BigInteger, nullable=False),
    sa.Column("cost_picousd", sa.BigInteger, nullable=False),
    sa.Column("tokens_input", sa.BigInteger, nullable=False),
    sa.Column("tokens_output", sa.BigInteger, nullable=False),
    sa.Column("cache_read_tokens", sa.BigInteger, nullable=False),
    sa.Column("cache_write_tokens", sa.BigInteger, nullable=False),
    sa.Column("flags", sa.Text, nullable=False),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("settled_at_ms", Ms),
    sa.Index(None, "execution_id"),
    sa.Index(None, "owner_id", "day"),
    sqlite_with_rowid=False,
)

tokens = sa.Table(
    "tokens",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("user", sa.String(200), nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("expires_at_ms", Ms),
    sa.Column("revoked_at_ms", Ms),
    sqlite_with_rowid=False,
)
