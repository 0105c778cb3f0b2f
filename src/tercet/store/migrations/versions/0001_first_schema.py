"""The first schema.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_REFUSALS = {
    "sqlite": (
        """CREATE TRIGGER execution_events_no_update BEFORE UPDATE ON execution_events
           BEGIN SELECT RAISE(ABORT, 'execution_events is append-only'); END""",
        """CREATE TRIGGER execution_events_no_delete BEFORE DELETE ON execution_events
           BEGIN SELECT RAISE(ABORT, 'execution_events is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION execution_events_refuse() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'execution_events is append-only'; END $$""",
        """CREATE TRIGGER execution_events_no_change BEFORE UPDATE OR DELETE ON execution_events
           FOR EACH ROW EXECUTE FUNCTION execution_events_refuse()""",
    ),
}


def upgrade() -> None:
    _create_tables()
    for statement in _REFUSALS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=200), nullable=True),
        sa.Column("poll_endpoint", sa.Text(), nullable=True),
        sa.Column("webhook_url", sa.Text(), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("last_heartbeat_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("capabilities", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_agents_owner_id_name"), "agents", ["owner_id", "name"], unique=False)
    op.create_table(
        "approval_items",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("approval_id", sa.String(length=64), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("subtask_id", sa.String(length=200), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=30), nullable=False),
        sa.Column("edits", sa.Text(), nullable=True),
        sa.Column("feedback", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.String(length=200), nullable=True),
        sa.Column("decided_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approval_items")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_approval_items_approval_id"), "approval_items", ["approval_id"], unique=False)
    op.create_index(op.f("ix_approval_items_execution_id"), "approval_items", ["execution_id"], unique=False)
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=True),
        sa.Column("handler", sa.String(length=200), nullable=False),
        sa.Column("bundle_key", sa.String(length=500), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=30), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("items_total", sa.Integer(), nullable=False),
        sa.Column("items_open", sa.Integer(), nullable=False),
        sa.Column("requested_by", sa.String(length=200), nullable=True),
        sa.Column("assigned_to", sa.Text(), nullable=True),
        sa.Column("reminders_sent", sa.Integer(), nullable=False),
        sa.Column("ready_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("escalated_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("decided_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("decided_by", sa.String(length=200), nullable=True),
        sa.Column("decision", sa.String(length=30), nullable=True),
        sa.Column("option", sa.String(length=200), nullable=True),
        sa.Column("feedback", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_approvals_open_bundle",
        "approvals",
        ["owner_id", "handler", "bundle_key"],
        unique=False,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        op.f("ix_approvals_owner_id_status_id"), "approvals", ["owner_id", "status", "id"], unique=False
    )
    op.create_table(
        "event_keys",
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "idempotency_key", name=op.f("pk_event_keys")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "execution_events",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.String(length=50), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("task_id", sa.String(length=64), nullable=True),
        sa.Column("subtask_id", sa.String(length=200), nullable=True),
        sa.Column("agent_id", sa.String(length=200), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("output_data", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(length=100), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("human_review_required", sa.Boolean(), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("agent_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_execution_events")),
    )
    op.create_index("uq_execution_events_stream", "execution_events", ["execution_id", "seq"], unique=True)
    op.create_table(
        "execution_subtasks",
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("result_data", sa.Text(), nullable=True),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("completed_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("task_id", "name", name=op.f("pk_execution_subtasks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "execution_tasks",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("handler", sa.String(length=200), nullable=False),
        sa.Column("executor", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("status_message", sa.Text(), nullable=True),
        sa.Column("event_seq", sa.Integer(), nullable=False),
        sa.Column("input", sa.Text(), nullable=True),
        sa.Column("hops", sa.Integer(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("due_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("lease_token", sa.String(length=64), nullable=True),
        sa.Column("result_data", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(length=100), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("completed_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_execution_tasks")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_execution_tasks_execution_id"), "execution_tasks", ["execution_id"], unique=False
    )
    op.create_index(
        "ix_execution_tasks_queued",
        "execution_tasks",
        ["priority", "due_at_ms"],
        unique=False,
        sqlite_where=sa.text("status = 'QUEUED'"),
        postgresql_where=sa.text("status = 'QUEUED'"),
    )
    op.create_index(
        "ix_execution_tasks_running",
        "execution_tasks",
        ["id"],
        unique=False,
        sqlite_where=sa.text("status = 'RUNNING'"),
        postgresql_where=sa.text("status = 'RUNNING'"),
    )
    op.create_table(
        "executions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("manifest_id", sa.String(length=64), nullable=True),
        sa.Column("retry_of", sa.String(length=64), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("status_message", sa.Text(), nullable=True),
        sa.Column("tasks_total", sa.Integer(), nullable=False),
        sa.Column("tasks_completed", sa.Integer(), nullable=False),
        sa.Column("pause_requested", sa.Boolean(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("completed_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executions")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_executions_owner_id_status_id"), "executions", ["owner_id", "status", "id"], unique=False
    )
    op.create_table(
        "fan_ins",
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("handler", sa.String(length=200), nullable=False),
        sa.Column("correlation_key", sa.String(length=500), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("received", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("execution_id", "handler", "correlation_key", name=op.f("pk_fan_ins")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ledger",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("subtask_id", sa.String(length=200), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("executor_type", sa.String(length=50), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reserved_picousd", sa.BigInteger(), nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_picousd", sa.BigInteger(), nullable=False),
        sa.Column("tokens_input", sa.BigInteger(), nullable=False),
        sa.Column("tokens_output", sa.BigInteger(), nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("settled_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_ledger_execution_id"), "ledger", ["execution_id"], unique=False)
    op.create_index(op.f("ix_ledger_owner_id_day"), "ledger", ["owner_id", "day"], unique=False)
    op.create_table(
        "manifests",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("warnings", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_manifests")),
        sa.UniqueConstraint("owner_id", "name", "revision", name=op.f("uq_manifests_owner_id_name_revision")),
    )
    op.create_table(
        "timers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("due_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=True),
        sa.Column("task_id", sa.String(length=64), nullable=True),
        sa.Column("approval_id", sa.String(length=64), nullable=True),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timers")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_timers_approval_id"), "timers", ["approval_id"], unique=False)
    op.create_index(op.f("ix_timers_due_at_ms"), "timers", ["due_at_ms"], unique=False)
    op.create_index(op.f("ix_timers_execution_id"), "timers", ["execution_id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("user", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_tokens_token_digest")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waits",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("task_id", sa.String(length=64), nullable=False),
        sa.Column("subtask_id", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("event_name", sa.String(length=200), nullable=True),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waits")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_waits_event_name"), "waits", ["event_name"], unique=False)
    op.create_index(op.f("ix_waits_execution_id"), "waits", ["execution_id"], unique=False)
