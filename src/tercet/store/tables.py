"""The tables (spec 5 §1, plus manifests, approvals, timers, waits and the ledger).

Times are `…_at_ms`: milliseconds since the epoch, UTC. JSON is text. Money is `…_picousd`: whole
10⁻¹² dollars, so that sums are exact on every database.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_Id = sa.String(64)
_Ms = sa.BigInteger


def _id(name: str = "id") -> sa.Column[str]:
    return sa.Column(name, _Id, primary_key=True)


manifests = sa.Table(
    "manifests",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("warnings", sa.Text, nullable=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.UniqueConstraint("owner_id", "name", "revision"),
)

executions = sa.Table(
    "executions",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("manifest_id", _Id),
    sa.Column("retry_of", _Id),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("status_message", sa.Text),
    sa.Column("tasks_total", sa.Integer, nullable=False),
    sa.Column("tasks_completed", sa.Integer, nullable=False),
    sa.Column("pause_requested", sa.Boolean, nullable=False, default=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False, default=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("started_at_ms", _Ms),
    sa.Column("completed_at_ms", _Ms),
    sa.Column("updated_at_ms", _Ms, nullable=False),
    sa.Index(None, "owner_id", "status", "id"),
    sa.Index(None, "manifest_id"),
    sqlite_with_rowid=False,
)
"""`manifest_id` is the pinned revision of what runs: a manifest's or an agent's."""

execution_tasks = sa.Table(
    "execution_tasks",
    metadata,
    _id(),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("handler", sa.String(200), nullable=False),
    sa.Column("executor", sa.String(20), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("status_message", sa.Text),
    sa.Column("event_seq", sa.Integer, nullable=False),
    sa.Column("input", sa.Text),
    sa.Column("hops", sa.Integer, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("max_attempts", sa.Integer, nullable=False),
    sa.Column("due_at_ms", _Ms, nullable=False),
    sa.Column("lease_token", sa.String(64)),
    sa.Column("result_data", sa.Text),
    sa.Column("error_type", sa.String(100)),
    sa.Column("error_message", sa.Text),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("started_at_ms", _Ms),
    sa.Column("completed_at_ms", _Ms),
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
    sa.Column("task_id", _Id, primary_key=True),
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("result_data", sa.Text),
    sa.Column("started_at_ms", _Ms),
    sa.Column("completed_at_ms", _Ms),
    sqlite_with_rowid=False,
)

execution_events = sa.Table(
    "execution_events",
    metadata,
    sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("event_type", sa.String(50), nullable=False),
    sa.Column("name", sa.String(200)),
    sa.Column("task_id", _Id),
    sa.Column("subtask_id", sa.String(200)),
    sa.Column("agent_id", sa.String(200)),
    sa.Column("status", sa.String(20)),
    sa.Column("message", sa.Text),
    sa.Column("output_data", sa.Text),
    sa.Column("error_type", sa.String(100)),
    sa.Column("error_message", sa.Text),
    sa.Column("human_review_required", sa.Boolean),
    sa.Column("at_ms", _Ms, nullable=False),
    sa.Column("agent_at_ms", _Ms),
    sa.Index("uq_execution_events_stream", "execution_id", "seq", unique=True),
)
"""Append-only: the database refuses update and delete. (execution_id, seq) is the fence for stale writers."""

event_keys = sa.Table(
    "event_keys",
    metadata,
    sa.Column("owner_id", sa.String(200), primary_key=True),
    sa.Column("idempotency_key", sa.String(200), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("at_ms", _Ms, nullable=False),
    sqlite_with_rowid=False,
)

waits = sa.Table(
    "waits",
    metadata,
    _id(),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("task_id", _Id, nullable=False),
    sa.Column("subtask_id", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("event_name", sa.String(200)),
    sa.Column("condition", sa.Text),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("expires_at_ms", _Ms),
    sa.Index(None, "execution_id"),
    sa.Index(None, "event_name"),
    sqlite_with_rowid=False,
)

fan_ins = sa.Table(
    "fan_ins",
    metadata,
    sa.Column("execution_id", _Id, primary_key=True),
    sa.Column("handler", sa.String(200), primary_key=True),
    sa.Column("correlation_key", sa.String(500), primary_key=True),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("received", sa.Text, nullable=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sqlite_with_rowid=False,
)

timers = sa.Table(
    "timers",
    metadata,
    _id(),
    sa.Column("due_at_ms", _Ms, nullable=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("execution_id", _Id),
    sa.Column("task_id", _Id),
    sa.Column("approval_id", _Id),
    sa.Column("payload", sa.Text),
    sa.Index(None, "due_at_ms"),
    sa.Index(None, "execution_id"),
    sa.Index(None, "approval_id"),
    sqlite_with_rowid=False,
)

approvals = sa.Table(
    "approvals",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("execution_id", _Id),
    sa.Column("handler", sa.String(200), nullable=False),
    sa.Column("bundle_key", sa.String(500)),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("status", sa.String(30), nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("items_total", sa.Integer, nullable=False),
    sa.Column("items_open", sa.Integer, nullable=False),
    sa.Column("requested_by", sa.String(200)),
    sa.Column("assigned_to", sa.Text),
    sa.Column("reminders_sent", sa.Integer, nullable=False),
    sa.Column("ready_at_ms", _Ms),
    sa.Column("escalated_at_ms", _Ms),
    sa.Column("expires_at_ms", _Ms),
    sa.Column("decided_at_ms", _Ms),
    sa.Column("decided_by", sa.String(200)),
    sa.Column("decision", sa.String(30)),
    sa.Column("option", sa.String(200)),
    sa.Column("feedback", sa.Text),
    sa.Column("created_at_ms", _Ms, nullable=False),
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
    _id(),
    sa.Column("approval_id", _Id, nullable=False),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("task_id", _Id, nullable=False),
    sa.Column("subtask_id", sa.String(200)),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("status", sa.String(30), nullable=False),
    sa.Column("edits", sa.Text),
    sa.Column("feedback", sa.Text),
    sa.Column("decided_by", sa.String(200)),
    sa.Column("decided_at_ms", _Ms),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Index(None, "approval_id"),
    sa.Index(None, "execution_id"),
    sqlite_with_rowid=False,
)

ledger = sa.Table(
    "ledger",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("execution_id", _Id, nullable=False),
    sa.Column("task_id", _Id, nullable=False),
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
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("settled_at_ms", _Ms),
    sa.Index(None, "execution_id"),
    sa.Index(None, "owner_id", "day"),
    sqlite_with_rowid=False,
)

agents = sa.Table(
    "agents",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("role", sa.String(200)),
    sa.Column("poll_endpoint", sa.Text),
    sa.Column("webhook_url", sa.Text),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("last_heartbeat_at_ms", _Ms),
    sa.Column("capabilities", sa.Text, nullable=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("revision_id", _Id),
    sa.Column("api_key_sealed", sa.Text),
    sa.Column("updated_at_ms", _Ms),
    sa.Column("deleted_at_ms", _Ms),
    sa.Index(None, "owner_id", "name"),
    sqlite_with_rowid=False,
)
agent_revisions = sa.Table(
    "agent_revisions",
    metadata,
    _id(),
    sa.Column("agent_id", _Id, nullable=False),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.UniqueConstraint("agent_id", "revision"),
)
plans = sa.Table(
    "plans",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("source", sa.String(50), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("problems", sa.Text, nullable=False),
    sa.Column("tasks_total", sa.Integer, nullable=False),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("deleted_at_ms", _Ms),
    sa.Index(None, "owner_id", "id"),
)
"""`body` is the whole plan as JSON; it never changes."""
conversations = sa.Table(
    "conversations",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("agent_id", _Id),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Index(None, "owner_id", "id"),
    sqlite_with_rowid=False,
)
conversation_messages = sa.Table(
    "conversation_messages",
    metadata,
    sa.Column("conversation_id", _Id, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("execution_id", _Id),
    sa.Column("at_ms", _Ms, nullable=False),
    sqlite_with_rowid=False,
)
tool_audit = sa.Table(
    "tool_audit",
    metadata,
    sa.Column("execution_id", _Id, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("task_id", _Id, nullable=False),
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
    sa.Column("at_ms", _Ms, nullable=False),
    sa.Column("prev_hash", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sqlite_with_rowid=False,
)
"""One row a tool call; `hash` covers the row and the hash of the one before it in the same execution."""
tokens = sa.Table(
    "tokens",
    metadata,
    _id(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("user", sa.String(200), nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("token_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("created_at_ms", _Ms, nullable=False),
    sa.Column("expires_at_ms", _Ms),
    sa.Column("revoked_at_ms", _Ms),
    sqlite_with_rowid=False,
)
