"""Every write that the engine makes, compiled once from the tables.

The SQL comes out of SQLAlchemy Core, so each database gets its own dialect; the rows go to the driver's
`executemany` as plain tuples, because building them per call through Core costs more than the write.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import dialect as _sqlite_dialect
from sqlalchemy.dialects.sqlite import insert as _upsert

from tercet.store import tables
from tercet.store.tables.sealed import Sealed
from tercet.store.unit import Statement

INSERT, UPDATE, DELETE = 0, 1, 2


def compile_statement(name: str, phase: int, clause: sa.UpdateBase, columns: Iterable[str]) -> Statement:
    """Return the statement of a clause whose parameters are `columns`, in this order."""
    compiled = clause.compile(dialect=_sqlite_dialect(paramstyle="qmark"))
    wanted = tuple(columns)
    positions = tuple(getattr(compiled, "positiontup", None) or ())
    if positions != wanted:
        raise AssertionError(f"statement {name!r} binds {positions}, its rows are {wanted}")
    return Statement(name, phase, str(compiled), wanted, _sealed(clause.table, wanted))


def _sealed(table: sa.FromClause, columns: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """Return the positions of sealed columns; key columns are bound as `key_…` and never sealed."""
    types = [(index, table.c[name].type) for index, name in enumerate(columns) if name in table.c]
    return tuple((index, kind.belongs_to) for index, kind in types if isinstance(kind, Sealed))


def _insert(table: sa.Table, *, name: str | None = None, without: tuple[str, ...] = ()) -> Statement:
    columns = [c.name for c in table.columns if c.name not in without]
    clause = sa.insert(table).values({c: sa.bindparam(c) for c in columns})
    return compile_statement(name or f"insert_{table.name}", INSERT, clause, columns)


def _update(
    name: str, table: sa.Table, columns: tuple[str, ...], key: tuple[str, ...] = ("id",)
) -> Statement:
    """`columns` in table order, then the key columns as `key_<name>`."""
    clause = (
        sa.update(table)
        .values({c: sa.bindparam(c) for c in columns})
        .where(*(table.c[k] == sa.bindparam(f"key_{k}") for k in key))
    )
    return compile_statement(name, UPDATE, clause, (*columns, *(f"key_{k}" for k in key)))


def _delete(name: str, table: sa.Table, key: tuple[str, ...]) -> Statement:
    clause = sa.delete(table).where(*(table.c[k] == sa.bindparam(f"key_{k}") for k in key))
    return compile_statement(name, DELETE, clause, tuple(f"key_{k}" for k in key))


def _insert_or_replace(
    table: sa.Table, key: tuple[str, ...], *, name: str | None = None, without: tuple[str, ...] = ()
) -> Statement:
    columns = [c.name for c in table.columns if c.name not in without]
    clause = _upsert(table).values({c: sa.bindparam(c) for c in columns})
    clause = clause.on_conflict_do_update(
        index_elements=list(key), set_={c: clause.excluded[c] for c in columns if c not in key}
    )
    return compile_statement(name or f"upsert_{table.name}", INSERT, clause, columns)


INSERT_MANIFEST = _insert(tables.manifests)
INSERT_EXECUTION = _insert(tables.executions)
INSERT_TASK = _insert(tables.execution_tasks)
_WORK = ("agent_id", "failures", "due_at_ms", "waits_for", "error_type", "error_message")
UPSERT_SUBTASK = _insert_or_replace(tables.execution_subtasks, ("task_id", "name"), without=_WORK)
UPSERT_WORK = _insert_or_replace(tables.execution_subtasks, ("task_id", "name"), name="upsert_work")
INSERT_EXECUTION_AGENT = _insert(tables.execution_agents)
INSERT_EVENT = _insert(tables.execution_events, without=("position",))
INSERT_EVENT_KEY = _insert(tables.event_keys)
INSERT_WAIT = _insert(tables.waits)
UPSERT_FAN_IN = _insert_or_replace(tables.fan_ins, ("execution_id", "handler", "correlation_key"))
INSERT_TIMER = _insert(tables.timers)
INSERT_APPROVAL = _insert(tables.approvals)
INSERT_APPROVAL_ITEM = _insert(tables.approval_items)
INSERT_LEDGER = _insert(tables.ledger)
INSERT_TOKEN = _insert(tables.tokens)
INSERT_AGENT = _insert(tables.agents)
INSERT_AGENT_REVISION = _insert(tables.agent_revisions)
INSERT_PLAN = _insert(tables.plans)
INSERT_CONVERSATION = _insert(tables.conversations, without=("project_id", "title", "updated_at_ms"))
INSERT_MESSAGE = _insert(tables.conversation_messages, without=("message_id", "detail", "cost_picousd"))
INSERT_CHAT = _insert(tables.conversations, name="insert_chat")
INSERT_CHAT_MESSAGE = _insert(tables.conversation_messages, name="insert_chat_message")
INSERT_PROJECT = _insert(tables.projects)
INSERT_DOCUMENT = _insert(tables.documents)
INSERT_PASSAGE = _insert(tables.document_passages, without=("id",))
INSERT_TOOL_AUDIT = _insert(tables.tool_audit)
INSERT_SUBSCRIPTION = _insert(tables.subscriptions)
INSERT_DELIVERY = _insert(tables.deliveries)
INSERT_RECEIVED_MESSAGE = _insert(tables.received_messages)
INSERT_REVEAL = _insert(tables.reveals)

UPDATE_EXECUTION = _update(
    "update_execution",
    tables.executions,
    (
        "status", "status_message", "tasks_total", "tasks_completed", "pause_requested", "cancel_requested",
        "started_at_ms", "completed_at_ms", "updated_at_ms",
    ),
)  # fmt: skip
UPDATE_TASK = _update(
    "update_task",
    tables.execution_tasks,
    (
        "status", "status_message", "attempt", "failures", "due_at_ms", "lease_token", "result_data",
        "error_type", "error_message", "started_at_ms", "completed_at_ms",
    ),
)  # fmt: skip
UPDATE_APPROVAL = _update(
    "update_approval",
    tables.approvals,
    (
        "status", "digest", "items_total", "items_open", "assigned_to", "reminders_sent", "ready_at_ms",
        "escalated_at_ms", "expires_at_ms", "decided_at_ms", "decided_by", "decision", "option", "feedback",
    ),
)  # fmt: skip
UPDATE_APPROVAL_ITEM = _update(
    "update_approval_item",
    tables.approval_items,
    ("data", "digest", "status", "edits", "feedback", "decided_by", "decided_at_ms"),
)
SETTLE_LEDGER = _update(
    "settle_ledger",
    tables.ledger,
    (
        "model", "status", "cost_picousd", "tokens_input", "tokens_output", "cache_read_tokens",
        "cache_write_tokens", "flags", "settled_at_ms",
    ),
)  # fmt: skip
UPDATE_AGENT = _update(
    "update_agent",
    tables.agents,
    ("name", "role", "is_active", "revision_id", "api_key_sealed", "updated_at_ms", "deleted_at_ms"),
)
UPDATE_TASK_INPUT = _update("update_task_input", tables.execution_tasks, ("input",))
UPDATE_PLAN = _update("update_plan", tables.plans, ("body",))
DELETE_PLAN = _update("delete_plan", tables.plans, ("deleted_at_ms",))
TOUCH_AGENT = _update("touch_agent", tables.agents, ("last_heartbeat_at_ms",))
UPDATE_WORKER = _update(
    "update_worker",
    tables.agents,
    ("poll_endpoint", "webhook_url", "capabilities", "webhook_secret_sealed"),
)
DELETE_SUBSCRIPTION = _update("delete_subscription", tables.subscriptions, ("deleted_at_ms",))
UPDATE_DELIVERY = _update(
    "update_delivery",
    tables.deliveries,
    ("status", "attempts", "answer_status", "error", "next_at_ms", "ended_at_ms"),
)
UPDATE_PROJECT = _update("update_project", tables.projects, ("name", "instructions", "updated_at_ms"))
UPDATE_CHAT = _update("update_chat", tables.conversations, ("title", "updated_at_ms"))
TOUCH_CHAT = _update("touch_chat", tables.conversations, ("updated_at_ms",))
REVOKE_TOKEN = _update("revoke_token", tables.tokens, ("revoked_at_ms",))

DELETE_WAIT = _delete("delete_wait", tables.waits, ("id",))
DELETE_TIMER = _delete("delete_timer", tables.timers, ("id",))
DELETE_APPROVAL_TIMERS = _delete("delete_approval_timers", tables.timers, ("approval_id",))
DELETE_EXECUTION_TIMERS = _delete("delete_execution_timers", tables.timers, ("execution_id",))
FORGET_RECEIVED_MESSAGES = compile_statement(
    "forget_received_messages",
    DELETE,
    sa.delete(tables.received_messages).where(tables.received_messages.c.at_ms < sa.bindparam("before_ms")),
    ("before_ms",),
)
DELETE_PROJECT = _delete("delete_project", tables.projects, ("id",))
DELETE_CONVERSATION = _delete("delete_conversation", tables.conversations, ("id",))
DELETE_MESSAGES = _delete("delete_messages", tables.conversation_messages, ("conversation_id",))
DELETE_DOCUMENT = _delete("delete_document", tables.documents, ("id",))
DELETE_PASSAGES = _delete("delete_passages", tables.document_passages, ("document_id",))
DELETE_EXECUTION_WAITS = _delete("delete_execution_waits", tables.waits, ("execution_id",))

ALL: tuple[Statement, ...] = tuple(
    sorted(
        (value for value in dict(globals()).values() if isinstance(value, Statement)), key=lambda s: s.phase
    )
)
"""Every statement, in the order in which a batch runs them."""
