"""Reads of agents, their conversations, their tool calls and their figures."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.domain.codec import from_json
from tercet.store.reader import Record, first, records
from tercet.store.tables import (
    agent_revisions,
    agents,
    conversation_messages,
    conversations,
    execution_subtasks,
    execution_tasks,
    executions,
    ledger,
    tool_audit,
)

_COLUMNS = (agents, agent_revisions.c.body, agent_revisions.c.revision)


def _with_revision() -> sa.Select[tuple[object, ...]]:
    return (
        sa.select(*_COLUMNS)
        .join(agent_revisions, agent_revisions.c.id == agents.c.revision_id)
        .where(agents.c.deleted_at_ms.is_(None))
    )


def load_agent(connection: sa.Connection, *, owner_id: str, agent_id: str) -> Record | None:
    """Return an agent with the body of its newest revision, or None."""
    query = _with_revision().where(agents.c.id == agent_id, agents.c.owner_id == owner_id)
    return first(connection.execute(query))


def load_revision(connection: sa.Connection, revision_id: str) -> Record | None:
    """Return one revision with its agent's sealed key."""
    query = (
        sa.select(agent_revisions, agents.c.api_key_sealed)
        .join(agents, agents.c.id == agent_revisions.c.agent_id)
        .where(agent_revisions.c.id == revision_id)
    )
    return first(connection.execute(query))


def list_agents(
    connection: sa.Connection, *, owner_id: str, limit: int, after: str | None = None
) -> list[Record]:
    """Return agents in the order in which they were made."""
    query = _with_revision().where(agents.c.owner_id == owner_id).order_by(agents.c.id).limit(limit)
    if after is not None:
        query = query.where(agents.c.id > after)
    return records(connection.execute(query))


def list_workers(connection: sa.Connection, agent_id: str | None = None) -> list[Record]:
    """Return the agent workers of all owners, or one of them."""
    query = _with_revision().where(agents.c.is_worker).order_by(agents.c.id)
    if agent_id is not None:
        query = query.where(agents.c.id == agent_id)
    return records(connection.execute(query))


def agent_exists(connection: sa.Connection, agent_id: str) -> bool:
    """Return whether the id is taken, also by a deleted agent."""
    return connection.scalar(sa.select(sa.literal(1)).where(agents.c.id == agent_id)) is not None


def agent_names(connection: sa.Connection, *, owner_id: str) -> dict[str, str]:
    """Return the names of all agents by id, deleted ones too: the ledger keeps ids."""
    rows = connection.execute(sa.select(agents.c.id, agents.c.name).where(agents.c.owner_id == owner_id))
    return {row[0]: row[1] for row in rows}


def load_conversation(connection: sa.Connection, *, owner_id: str, conversation_id: str) -> Record | None:
    """Return a conversation, or None."""
    query = sa.select(conversations).where(
        conversations.c.id == conversation_id, conversations.c.owner_id == owner_id
    )
    return first(connection.execute(query))


def last_messages(connection: sa.Connection, conversation_id: str, *, limit: int) -> list[Record]:
    """Return the newest messages, oldest first."""
    query = (
        sa.select(conversation_messages)
        .where(conversation_messages.c.conversation_id == conversation_id)
        .order_by(conversation_messages.c.seq.desc())
        .limit(limit)
    )
    return records(connection.execute(query))[::-1]


def begun_steps(connection: sa.Connection, task_id: str) -> set[str]:
    """Return the steps of a task that began and have no result."""
    query = sa.select(execution_subtasks.c.name).where(
        execution_subtasks.c.task_id == task_id, execution_subtasks.c.status == "RUNNING"
    )
    return set(connection.scalars(query))


def audit_of(connection: sa.Connection, execution_id: str) -> list[Record]:
    """Return the tool calls of an execution in order."""
    query = sa.select(tool_audit).where(tool_audit.c.execution_id == execution_id).order_by(tool_audit.c.seq)
    return [{**row, "flags": from_json(row["flags"])} for row in records(connection.execute(query))]


def count_tool_calls(connection: sa.Connection, *, owner_id: str) -> list[Record]:
    """Return how often each tool was called, with which outcome."""
    query = (
        sa.select(tool_audit.c.tool, tool_audit.c.outcome, sa.func.count().label("calls"))
        .where(tool_audit.c.owner_id == owner_id)
        .group_by(tool_audit.c.tool, tool_audit.c.outcome)
        .order_by(tool_audit.c.tool, tool_audit.c.outcome)
    )
    return records(connection.execute(query))


def figures_of(connection: sa.Connection, agent_id: str) -> Record:
    """Return runs, successes, mean time, tokens and cost of an agent, and its failures by type."""
    revisions = sa.select(agent_revisions.c.id).where(agent_revisions.c.agent_id == agent_id)
    mine = executions.c.manifest_id.in_(revisions)
    took_ms = executions.c.completed_at_ms - executions.c.started_at_ms
    runs = first(
        connection.execute(
            sa.select(
                sa.func.count().label("runs"),
                sa.func.count().filter(executions.c.status == "COMPLETED").label("completed"),
                sa.func.count().filter(executions.c.status == "FAILED").label("failed"),
                sa.func.avg(took_ms).filter(executions.c.status == "COMPLETED").label("mean_ms"),
            ).where(mine)
        )
    )
    used = first(
        connection.execute(
            sa.select(
                sa.func.coalesce(sa.func.sum(ledger.c.tokens_input), 0).label("tokens_input"),
                sa.func.coalesce(sa.func.sum(ledger.c.tokens_output), 0).label("tokens_output"),
                sa.func.coalesce(sa.func.sum(ledger.c.cost_picousd), 0).label("cost_picousd"),
                sa.func.count().label("model_calls"),
            ).where(ledger.c.execution_id.in_(sa.select(executions.c.id).where(mine)))
        )
    )
    errors = connection.execute(
        sa.select(execution_tasks.c.error_type, sa.func.count())
        .where(
            execution_tasks.c.execution_id.in_(sa.select(executions.c.id).where(mine)),
            execution_tasks.c.status == "ERROR",
        )
        .group_by(execution_tasks.c.error_type)
    )
    tools = connection.execute(
        sa.select(tool_audit.c.tool, tool_audit.c.outcome, sa.func.count())
        .where(tool_audit.c.execution_id.in_(sa.select(executions.c.id).where(mine)))
        .group_by(tool_audit.c.tool, tool_audit.c.outcome)
    )
    return {
        **(runs or {}),
        **(used or {}),
        "errors": {str(kind): count for kind, count in errors},
        "tools": [{"tool": tool, "outcome": outcome, "calls": count} for tool, outcome, count in tools],
    }
