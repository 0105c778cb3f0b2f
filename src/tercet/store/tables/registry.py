"""What is registered: agents with their revisions and conversations, plans, the audit of tool calls."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, id_column, metadata
from tercet.store.tables.sealed import Sealed

agents = sa.Table(
    "agents",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("role", sa.String(200)),
    sa.Column("poll_endpoint", sa.Text),
    sa.Column("webhook_url", sa.Text),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("last_heartbeat_at_ms", Ms),
    sa.Column("capabilities", sa.Text, nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("revision_id", Id),
    sa.Column("api_key_sealed", sa.Text),
    sa.Column("updated_at_ms", Ms),
    sa.Column("deleted_at_ms", Ms),
    sa.Column("is_worker", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("webhook_secret_sealed", sa.Text),
    sa.Index(None, "owner_id", "name"),
    sqlite_with_rowid=False,
)
agent_revisions = sa.Table(
    "agent_revisions",
    metadata,
    id_column(),
    sa.Column("agent_id", Id, nullable=False),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("body", Sealed("agent_revisions.body"), nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.UniqueConstraint("agent_id", "revision"),
)
plans = sa.Table(
    "plans",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("title", Sealed("plans.title"), nullable=False),
    sa.Column("source", sa.String(50), nullable=False),
    sa.Column("body", Sealed("plans.body"), nullable=False),
    sa.Column("problems", sa.Text, nullable=False),
    sa.Column("tasks_total", sa.Integer, nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("deleted_at_ms", Ms),
    sa.Index(None, "owner_id", "id"),
)
"""`body` is the whole plan as JSON. Its tasks never change; their subtasks may until they run."""
conversations = sa.Table(
    "conversations",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("agent_id", Id),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("project_id", Id),
    sa.Column("title", sa.String(200)),
    sa.Column("updated_at_ms", Ms),
    sa.Index(None, "owner_id", "id"),
    sa.Index(None, "project_id", "id"),
    sqlite_with_rowid=False,
)
"""A conversation belongs to an agent (its runs remember it) or to a project (people chat in it)."""
conversation_messages = sa.Table(
    "conversation_messages",
    metadata,
    sa.Column("conversation_id", Id, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("content", Sealed("conversation_messages.content"), nullable=False),
    sa.Column("execution_id", Id),
    sa.Column("at_ms", Ms, nullable=False),
    sa.Column("message_id", Id),
    sa.Column("detail", Sealed("conversation_messages.detail")),
    sa.Column("cost_picousd", sa.BigInteger),
    sqlite_with_rowid=False,
)
"""The last three columns are chat's: `detail` is JSON (see docs/reference/chat.md)."""
tool_audit = sa.Table(
    "tool_audit",
    metadata,
    sa.Column("execution_id", Id, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("task_id", Id, nullable=False),
    sa.Column("subtask_id", sa.String(200), nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),
    sa.Column("tool", sa.String(200), nullable=False),
    sa.Column("version", sa.String(50), nullable=False),
    sa.Column("call_id", sa.String(200), nullable=False),
    sa.Column("arguments_digest", sa.String(64), nullable=False),
    sa.Column("outcome", sa.String(20), nullable=False),
    sa.Column("code", sa.String(50)),
    sa.Column("flags", sa.Text, nullable=False),
    sa.Column("duration_ms", sa.Integer, nullable=False),
    sa.Column("user_id", sa.String(200), nullable=False),
    sa.Column("at_ms", Ms, nullable=False),
    sa.Column("prev_hash", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sqlite_with_rowid=False,
)
"""One row a tool call; `hash` covers the row and the hash of the one before it in the same execution."""
