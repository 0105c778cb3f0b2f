"""What runs: executions, their tasks and steps, the event log, waits and timers."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, id_column, metadata
from tercet.store.tables.sealed import Sealed

manifests = sa.Table(
    "manifests",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("warnings", sa.Text, nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.UniqueConstraint("owner_id", "name", "revision"),
)

executions = sa.Table(
    "executions",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("manifest_id", Id),
    sa.Column("retry_of", Id),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("status_message", Sealed("executions.status_message")),
    sa.Column("tasks_total", sa.Integer, nullable=False),
    sa.Column("tasks_completed", sa.Integer, nullable=False),
    sa.Column("pause_requested", sa.Boolean, nullable=False, default=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False, default=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("started_at_ms", Ms),
    sa.Column("completed_at_ms", Ms),
    sa.Column("updated_at_ms", Ms, nullable=False),
    sa.Column("agent_id", Id),
    sa.Column("plan_id", Id),
    sa.Column("requested_by", sa.String(200)),
    sa.Index(None, "owner_id", "status", "id"),
    sa.Index(None, "manifest_id"),
    sa.Index(None, "plan_id"),
    sqlite_with_rowid=False,
)
"""`manifest_id` is the pinned revision of what runs: a manifest's, an agent's or a plan's."""

execution_agents = sa.Table(
    "execution_agents",
    metadata,
    sa.Column("execution_id", Id, primary_key=True),
    sa.Column("agent_id", Id, primary_key=True),
    sa.Index(None, "agent_id"),
    sqlite_with_rowid=False,
)
"""Which agent workers may take an execution's work; `*` stands for all of its owner."""

execution_tasks = sa.Table(
    "execution_tasks",
    metadata,
    id_column(),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("handler", sa.String(200), nullable=False),
    sa.Column("executor", sa.String(20), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("status_message", Sealed("execution_tasks.status_message")),
    sa.Column("event_seq", sa.Integer, nullable=False),
    sa.Column("input", Sealed("execution_tasks.input")),
    sa.Column("hops", sa.Integer, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("max_attempts", sa.Integer, nullable=False),
    sa.Column("due_at_ms", Ms, nullable=False),
    sa.Column("lease_token", sa.String(64)),
    sa.Column("result_data", Sealed("execution_tasks.result_data")),
    sa.Column("error_type", sa.String(100)),
    sa.Column("error_message", Sealed("execution_tasks.error_message")),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("started_at_ms", Ms),
    sa.Column("completed_at_ms", Ms),
    sa.Index(None, "execution_id"),
    sqlite_with_rowid=False,
)
sa.Index(
    "ix_execution_tasks_queued",
    execution_tasks.c.priority,
    execution_tasks.c.due_at_ms,
    sqlite_where=execution_tasks.c.status == "QUEUED",
    postgresql_where=execution_tasks.c.status == "QUEUED",
)
sa.Index(
    "ix_execution_tasks_running",
    execution_tasks.c.id,
    sqlite_where=execution_tasks.c.status == "RUNNING",
    postgresql_where=execution_tasks.c.status == "RUNNING",
)

execution_subtasks = sa.Table(
    "execution_subtasks",
    metadata,
    sa.Column("task_id", Id, primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("result_data", Sealed("execution_subtasks.result_data")),
    sa.Column("started_at_ms", Ms),
    sa.Column("completed_at_ms", Ms),
    sa.Column("agent_id", sa.String(200)),
    sa.Column("failures", sa.Integer),
    sa.Column("due_at_ms", Ms),
    sa.Column("waits_for", sa.String(200)),
    sa.Column("error_type", sa.String(100)),
    sa.Column("error_message", Sealed("execution_subtasks.error_message")),
    sqlite_with_rowid=False,
)
"""Named steps. Those that an agent worker does know its agent, their failures and when they are offered again."""

execution_events = sa.Table(
    "execution_events",
    metadata,
    sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("event_type", sa.String(50), nullable=False),
    sa.Column("name", sa.String(200)),
    sa.Column("task_id", Id),
    sa.Column("subtask_id", sa.String(200)),
    sa.Column("agent_id", sa.String(200)),
    sa.Column("status", sa.String(20)),
    sa.Column("message", Sealed("execution_events.message")),
    sa.Column("output_data", Sealed("execution_events.output_data")),
    sa.Column("error_type", sa.String(100)),
    sa.Column("error_message", Sealed("execution_events.error_message")),
    sa.Column("human_review_required", sa.Boolean),
    sa.Column("at_ms", Ms, nullable=False),
    sa.Column("agent_at_ms", Ms),
    sa.Index("uq_execution_events_stream", "execution_id", "seq", unique=True),
)
"""Append-only: the database refuses update and delete. (execution_id, seq) is the fence for stale writers."""

event_keys = sa.Table(
    "event_keys",
    metadata,
    sa.Column("owner_id", sa.String(200), primary_key=True),
    sa.Column("idempotency_key", sa.String(200), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("at_ms", Ms, nullable=False),
    sqlite_with_rowid=False,
)

waits = sa.Table(
    "waits",
    metadata,
    id_column(),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("task_id", Id, nullable=False),
    sa.Column("subtask_id", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("event_name", sa.String(200)),
    sa.Column("condition", Sealed("waits.condition")),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("expires_at_ms", Ms),
    sa.Index(None, "execution_id"),
    sa.Index(None, "event_name"),
    sqlite_with_rowid=False,
)

fan_ins = sa.Table(
    "fan_ins",
    metadata,
    sa.Column("execution_id", Id, primary_key=True),
    sa.Column("handler", sa.String(200), primary_key=True),
    sa.Column("correlation_key", sa.String(500), primary_key=True),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("received", sa.Text, nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sqlite_with_rowid=False,
)

timers = sa.Table(
    "timers",
    metadata,
    id_column(),
    sa.Column("due_at_ms", Ms, nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("execution_id", Id),
    sa.Column("task_id", Id),
    sa.Column("approval_id", Id),
    sa.Column("payload", Sealed("timers.payload")),
    sa.Index(None, "due_at_ms"),
    sa.Index(None, "execution_id"),
    sa.Index(None, "approval_id"),
    sqlite_with_rowid=False,
)
