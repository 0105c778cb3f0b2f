"""The tables (spec 5 §1, plus manifests, approvals, timers, waits and the ledger).

Times are `…_at_ms`: milliseconds since the epoch, UTC. JSON is text. Money is `…_picousd`: whole
10⁻¹² dollars, so that sums are exact on every database.
"""

from __future__ import annotations

from tercet.store.tables.chats import document_passages, documents, projects
from tercet.store.tables.columns import metadata
from tercet.store.tables.custody import archived_executions, archives, unlocks
from tercet.store.tables.notices import deliveries, received_messages, reveals, subscriptions
from tercet.store.tables.people import approval_items, approvals, ledger, tokens
from tercet.store.tables.registry import (
    agent_revisions,
    agents,
    conversation_messages,
    conversations,
    plans,
    tool_audit,
)
from tercet.store.tables.runs import (
    event_keys,
    execution_agents,
    execution_events,
    execution_subtasks,
    execution_tasks,
    executions,
    fan_ins,
    manifests,
    timers,
    waits,
)

__all__ = [
    "agent_revisions",
    "agents",
    "approval_items",
    "approvals",
    "archived_executions",
    "archives",
    "conversation_messages",
    "conversations",
    "deliveries",
    "document_passages",
    "documents",
    "event_keys",
    "execution_agents",
    "execution_events",
    "execution_subtasks",
    "execution_tasks",
    "executions",
    "fan_ins",
    "ledger",
    "manifests",
    "metadata",
    "plans",
    "projects",
    "received_messages",
    "reveals",
    "subscriptions",
    "timers",
    "tokens",
    "tool_audit",
    "unlocks",
    "waits",
]
