"""Reads of executions, their open tasks, steps and events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from tercet.domain.codec import from_json
from tercet.store.reader import Record, first, records
from tercet.store.tables import (
    event_keys,
    execution_agents,
    execution_events,
    execution_subtasks,
    execution_tasks,
    executions,
    fan_ins,
    timers,
    waits,
)

_OPEN = ("QUEUED", "RUNNING", "BLOCKED", "ERROR")
WORKER = "worker"
"""The executor of tasks that agent workers fetch."""


def load_execution(connection: sa.Connection, execution_id: str) -> dict[str, Any] | None:
    """Return everything that the engine needs to go on with an execution, or None."""
    execution = first(connection.execute(sa.select(executions).where(executions.c.id == execution_id)))
    if execution is None:
        return None
    seq = connection.scalar(
        sa.select(sa.func.max(execution_events.c.seq)).where(execution_events.c.execution_id == execution_id)
    )
    return {
        "execution": execution,
        "seq": seq or 0,
        "tasks": records(
            connection.execute(
                sa.select(execution_tasks)
                .where(execution_tasks.c.execution_id == execution_id, execution_tasks.c.status.in_(_OPEN))
                .order_by(execution_tasks.c.id)
            )
        ),
        "waits": records(
            connection.execute(
                sa.select(waits).where(waits.c.execution_id == execution_id, waits.c.kind == "event")
            )
        ),
        "fan_ins": records(
            connection.execute(sa.select(fan_ins).where(fan_ins.c.execution_id == execution_id))
        ),
        "delayed_events": connection.scalar(
            sa.select(sa.func.count())
            .select_from(timers)
            .where(timers.c.execution_id == execution_id, timers.c.kind == "delayed_event")
        )
        or 0,
        **(_load_work(connection, execution_id) if execution["plan_id"] else {}),
    }


def _load_work(connection: sa.Connection, execution_id: str) -> dict[str, Any]:
    """Return what a plan's execution has besides: begun subtasks of open tasks, ended tasks, its agents."""
    mine = execution_tasks.c.execution_id == execution_id
    open_tasks = sa.select(execution_tasks.c.id).where(mine, execution_tasks.c.status.in_(_OPEN))
    ended = connection.execute(
        sa.select(execution_tasks.c.handler, execution_tasks.c.completed_at_ms).where(
            mine, execution_tasks.c.status.not_in(_OPEN)
        )
    )
    return {
        "subtasks": records(
            connection.execute(
                sa.select(execution_subtasks).where(execution_subtasks.c.task_id.in_(open_tasks))
            )
        ),
        "ended_at_ms": {handler: at_ms for handler, at_ms in ended},
        "agents": frozenset(
            connection.scalars(
                sa.select(execution_agents.c.agent_id).where(execution_agents.c.execution_id == execution_id)
            )
        ),
    }


def results_of_tasks(connection: sa.Connection, execution_id: str, handlers: Iterable[str]) -> dict[str, Any]:
    """Return the results of an execution's completed tasks by handler."""
    rows = connection.execute(
        sa.select(execution_tasks.c.handler, execution_tasks.c.result_data).where(
            execution_tasks.c.execution_id == execution_id,
            execution_tasks.c.handler.in_(list(handlers)),
            execution_tasks.c.status == "COMPLETE",
        )
    )
    return {row[0]: from_json(row[1]) for row in rows if row[1] is not None}


def agents_of_execution(connection: sa.Connection, execution_id: str) -> list[str]:
    """Return the agent workers that may take an execution's work; `*` stands for all of its owner."""
    query = sa.select(execution_agents.c.agent_id).where(execution_agents.c.execution_id == execution_id)
    return list(connection.scalars(query.order_by(execution_agents.c.agent_id)))


def ended_handovers(connection: sa.Connection, prefix: str, reported: str) -> list[Record]:
    """Return the ended executions of plans that another one asked for and has not heard of, oldest first."""
    return records(
        connection.execute(
            sa.select(executions.c.id, executions.c.owner_id, executions.c.requested_by, executions.c.status)
            .where(
                executions.c.plan_id.is_not(None),
                executions.c.requested_by.startswith(prefix, autoescape=True),
                executions.c.status.in_(("COMPLETED", "FAILED", "CANCELLED")),
                ~sa.exists().where(
                    event_keys.c.owner_id == executions.c.owner_id,
                    event_keys.c.idempotency_key == sa.literal(reported) + executions.c.id,
                ),
            )
            .order_by(executions.c.id)
        )
    )


def open_plan_executions(connection: sa.Connection, plan_id: str | None = None) -> list[str]:
    """Return the executions of plans, or of one plan, that have not ended, oldest first."""
    query = (
        sa.select(executions.c.id)
        .where(
            executions.c.plan_id.is_not(None),
            executions.c.status.in_(("CREATED", "QUEUED", "RUNNING", "BLOCKED", "PAUSED")),
        )
        .order_by(executions.c.id)
    )
    if plan_id is not None:
        query = query.where(executions.c.plan_id == plan_id)
    return list(connection.scalars(query))


def load_steps(connection: sa.Connection, task_id: str) -> dict[str, str]:
    """Return the JSON results of a task's completed steps by name."""
    rows = connection.execute(
        sa.select(execution_subtasks.c.name, execution_subtasks.c.result_data).where(
            execution_subtasks.c.task_id == task_id, execution_subtasks.c.status == "COMPLETE"
        )
    )
    return {row[0]: row[1] for row in rows}


def load_events(connection: sa.Connection, execution_id: str, seqs: Iterable[int]) -> list[Record]:
    """Return the events with these numbers."""
    return records(
        connection.execute(
            sa.select(execution_events)
            .where(execution_events.c.execution_id == execution_id, execution_events.c.seq.in_(list(seqs)))
            .order_by(execution_events.c.seq)
        )
    )


def events_named(connection: sa.Connection, execution_id: str, name: str) -> list[Record]:
    """Return an execution's domain events of one name, oldest first."""
    return records(
        connection.execute(
            sa.select(execution_events)
            .where(
                execution_events.c.execution_id == execution_id,
                execution_events.c.name == name,
                execution_events.c.event_type.in_(("event_recorded", "execution_created")),
            )
            .order_by(execution_events.c.seq)
        )
    )


def queued_tasks(connection: sa.Connection, *, now_ms: int, limit: int) -> list[Record]:
    """Return due tasks of executions that may run, most urgent first."""
    return records(
        connection.execute(
            sa.select(
                execution_tasks.c.id,
                execution_tasks.c.execution_id,
                execution_tasks.c.priority,
                execution_tasks.c.due_at_ms,
            )
            .join(executions, executions.c.id == execution_tasks.c.execution_id)
            .where(
                execution_tasks.c.status == "QUEUED",
                execution_tasks.c.executor != WORKER,
                execution_tasks.c.due_at_ms <= now_ms,
                executions.c.status.in_(("QUEUED", "RUNNING", "BLOCKED")),
            )
            .order_by(execution_tasks.c.priority, execution_tasks.c.due_at_ms)
            .limit(limit)
        )
    )


def next_queued_at_ms(connection: sa.Connection, after_ms: int) -> int | None:
    """Return when the next queued task becomes due."""
    next_at_ms: int | None = connection.scalar(
        sa.select(sa.func.min(execution_tasks.c.due_at_ms)).where(
            execution_tasks.c.status == "QUEUED",
            execution_tasks.c.executor != WORKER,
            execution_tasks.c.due_at_ms > after_ms,
        )
    )
    return next_at_ms


def running_executions(connection: sa.Connection) -> list[str]:
    """Return the executions that have a task marked as running."""
    return list(
        connection.scalars(
            sa.select(execution_tasks.c.execution_id)
            .where(execution_tasks.c.status == "RUNNING", execution_tasks.c.executor != WORKER)
            .distinct()
        )
    )


def newest_event_at_ms(connection: sa.Connection) -> int:
    """Return when the newest event of all was recorded; 0 without any."""
    query = sa.select(execution_events.c.at_ms).order_by(execution_events.c.position.desc()).limit(1)
    return connection.scalar(query) or 0


def find_event_key(connection: sa.Connection, owner_id: str, key: str) -> Record | None:
    """Return what was recorded under an idempotency key."""
    return first(
        connection.execute(
            sa.select(event_keys).where(
                event_keys.c.owner_id == owner_id, event_keys.c.idempotency_key == key
            )
        )
    )


def executions_waiting_for(connection: sa.Connection, owner_id: str, event_name: str) -> list[Record]:
    """Return the open waits for an event over all of an owner's executions."""
    return records(
        connection.execute(
            sa.select(waits)
            .join(executions, executions.c.id == waits.c.execution_id)
            .where(
                executions.c.owner_id == owner_id, waits.c.kind == "event", waits.c.event_name == event_name
            )
            .order_by(waits.c.id)
        )
    )


def due_timers(connection: sa.Connection, now_ms: int, limit: int) -> list[Record]:
    """Return timers that are due, earliest first."""
    return records(
        connection.execute(
            sa.select(timers).where(timers.c.due_at_ms <= now_ms).order_by(timers.c.due_at_ms).limit(limit)
        )
    )


def next_timer_at_ms(connection: sa.Connection, after_ms: int, *, besides: str | None = None) -> int | None:
    """Return when the earliest timer later than `after_ms` is due; timers of the kind `besides` do not count."""
    query = sa.select(sa.func.min(timers.c.due_at_ms)).where(timers.c.due_at_ms > after_ms)
    if besides is not None:
        query = query.where(timers.c.kind != besides)
    next_at_ms: int | None = connection.scalar(query)
    return next_at_ms
