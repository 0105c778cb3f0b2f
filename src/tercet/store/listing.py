"""Reads for the doors: lists and details of executions and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import execution_events, execution_subtasks, execution_tasks, executions, ledger

MOST_TASKS = 2_000
_HOUR_MS = 3_600_000


def list_executions(
    connection: sa.Connection,
    *,
    owner_id: str,
    kind: str | None = None,
    status: str | None = None,
    plan_id: str | None = None,
    agent_id: str | None = None,
    limit: int = 50,
    before: str | None = None,
) -> list[Record]:
    """Return executions, newest first."""
    query = (
        sa.select(executions)
        .where(executions.c.owner_id == owner_id)
        .order_by(executions.c.id.desc())
        .limit(limit)
    )
    if kind is not None:
        query = query.where(executions.c.kind == kind)
    if status is not None:
        query = query.where(executions.c.status == status)
    if plan_id is not None:
        query = query.where(executions.c.plan_id == plan_id)
    if agent_id is not None:
        query = query.where(executions.c.agent_id == agent_id)
    if before is not None:
        query = query.where(executions.c.id < before)
    return records(connection.execute(query))


def get_execution(connection: sa.Connection, *, owner_id: str, execution_id: str) -> Record | None:
    """Return one execution's row when it is the owner's."""
    return first(
        connection.execute(
            sa.select(executions).where(executions.c.id == execution_id, executions.c.owner_id == owner_id)
        )
    )


def status_of(connection: sa.Connection, execution_id: str) -> str:
    """Return an execution's status."""
    query = sa.select(executions.c.status).where(executions.c.id == execution_id)
    return str(connection.execute(query).scalar_one())


def tasks_of(connection: sa.Connection, execution_id: str) -> list[Record]:
    """Return an execution's tasks in the order of their creation, at most MOST_TASKS, each with its `subtasks`."""
    tasks = records(
        connection.execute(
            sa.select(execution_tasks)
            .where(execution_tasks.c.execution_id == execution_id)
            .order_by(execution_tasks.c.id)
            .limit(MOST_TASKS)
        )
    )
    by_id: dict[str, Record] = {}
    for task in tasks:
        task["subtasks"] = []
        by_id[task["id"]] = task
    for start in range(0, len(tasks), 500):
        ids = [task["id"] for task in tasks[start : start + 500]]
        steps = connection.execute(
            sa.select(execution_subtasks)
            .where(execution_subtasks.c.task_id.in_(ids))
            .order_by(execution_subtasks.c.started_at_ms, execution_subtasks.c.name)
        )
        for step in records(steps):
            by_id[step["task_id"]]["subtasks"].append(step)
    return tasks


def costs_of(connection: sa.Connection, execution_id: str) -> Record:
    """Return the sums of an execution's ledger entries."""
    row = connection.execute(
        sa.select(
            sa.func.count().label("calls"),
            sa.func.coalesce(sa.func.sum(ledger.c.cost_picousd), 0).label("cost_picousd"),
            sa.func.coalesce(sa.func.sum(ledger.c.tokens_input), 0).label("tokens_input"),
            sa.func.coalesce(sa.func.sum(ledger.c.tokens_output), 0).label("tokens_output"),
        ).where(ledger.c.execution_id == execution_id)
    )
    return dict(row.mappings().one())


def list_events(
    connection: sa.Connection,
    *,
    execution_id: str,
    event_type: str | None = None,
    task_id: str | None = None,
    limit: int = 100,
    offset: int = 0,
    before_seq: int | None = None,
    after_seq: int | None = None,
) -> list[Record]:
    """Return events: newest first, or oldest first after a given one. A plan's tasks are known by the plan's ids too."""
    query = (
        sa.select(execution_events)
        .where(execution_events.c.execution_id == execution_id)
        .limit(limit)
        .offset(offset)
    )
    if event_type is not None:
        query = query.where(
            sa.or_(execution_events.c.event_type == event_type, execution_events.c.name == event_type)
        )
    if task_id is not None:
        query = query.where(
            sa.or_(
                execution_events.c.task_id == task_id,
                execution_events.c.subtask_id == task_id,
                execution_events.c.name == task_id,
            )
        )
    if after_seq is not None:
        query = query.where(execution_events.c.seq > after_seq).order_by(execution_events.c.seq)
    else:
        query = query.order_by(execution_events.c.seq.desc())
    if before_seq is not None:
        query = query.where(execution_events.c.seq < before_seq)
    return records(connection.execute(query))


def last_seq(connection: sa.Connection, execution_id: str) -> int:
    """Return the number of an execution's newest event."""
    query = sa.select(sa.func.max(execution_events.c.seq)).where(
        execution_events.c.execution_id == execution_id
    )
    return connection.scalar(query) or 0


def count_by_status(
    connection: sa.Connection, ids: Sequence[str] | None = None, *, owner_id: str | None = None
) -> dict[str, int]:
    """Return how many executions have each status, over all, an owner's, or the given ones."""
    query: Any = sa.select(executions.c.status, sa.func.count()).group_by(executions.c.status)
    if ids is not None:
        query = query.where(executions.c.id.in_(list(ids)))
    if owner_id is not None:
        query = query.where(executions.c.owner_id == owner_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def count_by_hour(connection: sa.Connection, *, owner_id: str, from_id: str) -> dict[int, dict[str, int]]:
    """Return how many of an owner's executions since `from_id` have each status, by the hour (of the epoch) of their start."""
    hour = (executions.c.created_at_ms // _HOUR_MS).label("hour")
    query = (
        sa.select(hour, executions.c.status, sa.func.count())
        .where(executions.c.owner_id == owner_id, executions.c.id >= from_id)
        .group_by(hour, executions.c.status)
    )
    counts: dict[int, dict[str, int]] = {}
    for at, status, count in connection.execute(query):
        counts.setdefault(int(at), {})[status] = count
    return counts


def task_counts(connection: sa.Connection) -> dict[str, int]:
    """Return how many tasks are queued, running, blocked or in error."""
    query = (
        sa.select(execution_tasks.c.status, sa.func.count())
        .where(execution_tasks.c.status.in_(("QUEUED", "RUNNING", "BLOCKED", "ERROR")))
        .group_by(execution_tasks.c.status)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def root_event(connection: sa.Connection, execution_id: str) -> Record | None:
    """Return the event that started an execution."""
    return first(
        connection.execute(
            sa.select(execution_events).where(
                execution_events.c.execution_id == execution_id, execution_events.c.seq == 1
            )
        )
    )
