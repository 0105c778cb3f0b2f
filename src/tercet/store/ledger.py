"""Reads of the ledger."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.domain.prices import from_pico
from tercet.domain.savings import UsageLine
from tercet.store.reader import Record, records
from tercet.store.tables import ledger

_SPENT = sa.case((ledger.c.status == "RESERVED", ledger.c.reserved_picousd), else_=ledger.c.cost_picousd)
_TOKENS = sa.case(
    (ledger.c.status == "RESERVED", ledger.c.reserved_tokens),
    else_=ledger.c.tokens_input + ledger.c.tokens_output,
)
GROUPS = {
    "agent": ledger.c.agent,
    "model": ledger.c.model,
    "execution": ledger.c.execution_id,
    "day": ledger.c.day,
}
"""What the ledger can be grouped by."""


def spent(
    connection: sa.Connection,
    *,
    owner_id: str,
    execution_id: str | None = None,
    agent: str | None = None,
    day: str | None = None,
) -> tuple[int, int]:
    """Return (picodollars, tokens) that are settled or reserved within the given scope."""
    query = sa.select(
        sa.func.coalesce(sa.func.sum(_SPENT), 0), sa.func.coalesce(sa.func.sum(_TOKENS), 0)
    ).where(ledger.c.owner_id == owner_id)
    if execution_id is not None:
        query = query.where(ledger.c.execution_id == execution_id)
    if agent is not None:
        query = query.where(ledger.c.agent == agent)
    if day is not None:
        query = query.where(ledger.c.day == day)
    row = connection.execute(query).one()
    return int(row[0]), int(row[1])


def sums_of(
    connection: sa.Connection, *, owner_id: str, agent: str | None = None, day: str | None = None
) -> Record:
    """Return `settled_picousd`, `reserved_picousd` and `tokens` (settled or reserved) within a scope."""
    is_reserved = ledger.c.status == "RESERVED"
    sums = {
        "settled_picousd": sa.case((is_reserved, 0), else_=ledger.c.cost_picousd),
        "reserved_picousd": sa.case((is_reserved, ledger.c.reserved_picousd), else_=0),
        "tokens": _TOKENS,
    }
    query = sa.select(
        *(sa.func.coalesce(sa.func.sum(value), 0).label(name) for name, value in sums.items())
    ).where(ledger.c.owner_id == owner_id)
    if agent is not None:
        query = query.where(ledger.c.agent == agent)
    if day is not None:
        query = query.where(ledger.c.day == day)
    return {name: int(value) for name, value in records(connection.execute(query))[0].items()}


def open_reservations(connection: sa.Connection, task_id: str, step: str) -> list[Record]:
    """Return reservations that a crash left open."""
    return records(
        connection.execute(
            sa.select(ledger).where(
                ledger.c.task_id == task_id, ledger.c.subtask_id == step, ledger.c.status == "RESERVED"
            )
        )
    )


def summarize(
    connection: sa.Connection, *, owner_id: str, group_by: str, execution_id: str | None = None
) -> list[Record]:
    """Return sums by group, dearest first."""
    key = GROUPS[group_by]
    query = (
        sa.select(
            key.label("key"),
            sa.func.count().label("calls"),
            sa.func.sum(ledger.c.cost_picousd).label("cost_picousd"),
            sa.func.sum(sa.case((ledger.c.status == "RESERVED", ledger.c.reserved_picousd), else_=0)).label(
                "reserved_picousd"
            ),
            sa.func.sum(ledger.c.tokens_input).label("tokens_input"),
            sa.func.sum(ledger.c.tokens_output).label("tokens_output"),
            sa.func.sum(sa.case((ledger.c.flags != "[]", 1), else_=0)).label("flagged_calls"),
            sa.func.sum(sa.case((ledger.c.flags.contains('"unpriced"'), 1), else_=0)).label("unpriced_calls"),
        )
        .where(ledger.c.owner_id == owner_id)
        .group_by(key)
        .order_by(sa.desc("cost_picousd"), key)
    )
    if execution_id is not None:
        query = query.where(ledger.c.execution_id == execution_id)
    return records(connection.execute(query))


def usage_lines(connection: sa.Connection, *, owner_id: str, since_day: str) -> list[UsageLine]:
    """Return what each agent used of each model since a day; a call of a task repeats what the one before it sent."""
    per_task = (
        sa.select(
            ledger.c.agent,
            ledger.c.model,
            ledger.c.task_id,
            sa.func.count().label("calls"),
            sa.func.sum(ledger.c.tokens_input).label("tokens_input"),
            sa.func.max(ledger.c.tokens_input).label("longest_input"),
            sa.func.sum(ledger.c.tokens_output).label("tokens_output"),
            sa.func.sum(ledger.c.cache_read_tokens).label("cache_read_tokens"),
            sa.func.sum(ledger.c.cache_write_tokens).label("cache_write_tokens"),
            sa.func.sum(ledger.c.cost_picousd).label("cost_picousd"),
        )
        .where(
            ledger.c.owner_id == owner_id, ledger.c.day >= since_day, ledger.c.status == "SETTLED",
            ledger.c.model.is_not(None),
        )
        .group_by(ledger.c.agent, ledger.c.model, ledger.c.task_id)
        .subquery()
    )  # fmt: skip
    sums = [
        sa.func.sum(per_task.c[name]).label(name)
        for name in (
            "calls",
            "tokens_input",
            "tokens_output",
            "cache_read_tokens",
            "cache_write_tokens",
            "cost_picousd",
        )
    ]
    repeated = sa.func.sum(per_task.c.tokens_input - per_task.c.longest_input).label("repeated_tokens")
    query = sa.select(per_task.c.agent, per_task.c.model, repeated, *sums).group_by(
        per_task.c.agent, per_task.c.model
    )
    return [
        UsageLine(
            agent=row["agent"], model=row["model"], calls=row["calls"], tokens_input=row["tokens_input"],
            tokens_output=row["tokens_output"], cache_read_tokens=row["cache_read_tokens"],
            cache_write_tokens=row["cache_write_tokens"], repeated_tokens=row["repeated_tokens"],
            cost_usd=from_pico(row["cost_picousd"]),
        )
        for row in records(connection.execute(query))
    ]  # fmt: skip
