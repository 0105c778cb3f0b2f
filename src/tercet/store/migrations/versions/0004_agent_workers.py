"""Executions of plans by agent workers.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (
        ("executions", sa.Column("agent_id", sa.String(length=64), nullable=True)),
        ("executions", sa.Column("plan_id", sa.String(length=64), nullable=True)),
        ("executions", sa.Column("requested_by", sa.String(length=200), nullable=True)),
        ("execution_subtasks", sa.Column("agent_id", sa.String(length=200), nullable=True)),
        ("execution_subtasks", sa.Column("failures", sa.Integer(), nullable=True)),
        ("execution_subtasks", sa.Column("due_at_ms", sa.BigInteger(), nullable=True)),
        ("execution_subtasks", sa.Column("waits_for", sa.String(length=200), nullable=True)),
        ("execution_subtasks", sa.Column("error_type", sa.String(length=100), nullable=True)),
        ("execution_subtasks", sa.Column("error_message", sa.Text(), nullable=True)),
        ("agents", sa.Column("is_worker", sa.Boolean(), nullable=False, server_default=sa.false())),
        ("agents", sa.Column("webhook_secret_sealed", sa.Text(), nullable=True)),
    ):
        op.add_column(table, column)
    op.create_index(op.f("ix_executions_plan_id"), "executions", ["plan_id"], unique=False)
    op.create_table(
        "execution_agents",
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("agent_id", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("execution_id", "agent_id", name=op.f("pk_execution_agents")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_execution_agents_agent_id"), "execution_agents", ["agent_id"], unique=False)
