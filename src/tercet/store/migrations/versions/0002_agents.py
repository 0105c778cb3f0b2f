"""Agents with revisions, conversations, the audit of tool calls.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_REFUSALS = {
    "sqlite": (
        """CREATE TRIGGER tool_audit_no_update BEFORE UPDATE ON tool_audit
           BEGIN SELECT RAISE(ABORT, 'tool_audit is append-only'); END""",
        """CREATE TRIGGER tool_audit_no_delete BEFORE DELETE ON tool_audit
           BEGIN SELECT RAISE(ABORT, 'tool_audit is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION tool_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'tool_audit is append-only'; END $$""",
        """CREATE TRIGGER tool_audit_no_change BEFORE UPDATE OR DELETE ON tool_audit
           FOR EACH ROW EXECUTE FUNCTION tool_audit_refuse()""",
    ),
}


def upgrade() -> None:
    for column in (
        sa.Column("revision_id", sa.String(length=64), nullable=True),
        sa.Column("api_key_sealed", sa.Text(), nullable=True),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at_ms", sa.BigInteger(), nullable=True),
    ):
        op.add_column("agents", column)
    op.create_index(op.f("ix_executions_manifest_id"), "executions", ["manifest_id"], unique=False)
    _create_tables()
    for statement in _REFUSALS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "agent_revisions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("agent_id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_revisions")),
        sa.UniqueConstraint("agent_id", "revision", name=op.f("uq_agent_revisions_agent_id_revision")),
    )
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("agent_id", sa.String(length=64), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_conversations_owner_id_id"), "conversations", ["owner_id", "id"], unique=False)
    op.create_table(
        "conversation_messages",
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "seq", name=op.f("pk_conversation_messages")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tool_audit",
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("subtask_id", sa.String(length=200), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("tool", sa.String(length=200), nullable=False),
        sa.Column("version", sa.String(length=50), nullable=False),
        sa.Column("call_id", sa.String(length=200), nullable=False),
        sa.Column("arguments_digest", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("code", sa.String(length=50), nullable=True),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("prev_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("execution_id", "seq", name=op.f("pk_tool_audit")),
        sqlite_with_rowid=False,
    )
