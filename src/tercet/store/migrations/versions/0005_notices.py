"""Subscriptions to notices, their deliveries, received messages, looks at masked data.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("secret_sealed", sa.Text(), nullable=True),
        sa.Column("created_by", sa.String(length=200), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscriptions")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_subscriptions_owner_id_id"), "subscriptions", ["owner_id", "id"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("subscription_id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("event", sa.String(length=50), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("answer_status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("next_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("ended_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_deliveries_subscription_id_id"), "deliveries", ["subscription_id", "id"], unique=False
    )
    op.create_table(
        "received_messages",
        sa.Column("sender", sa.String(length=200), nullable=False),
        sa.Column("message_id", sa.String(length=200), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sender", "message_id", name=op.f("pk_received_messages")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_received_messages_at_ms"), "received_messages", ["at_ms"], unique=False)
    op.create_table(
        "reveals",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("user", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("what", sa.String(length=200), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reveals")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_reveals_owner_id_id"), "reveals", ["owner_id", "id"], unique=False)
