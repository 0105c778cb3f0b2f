"""Timers as rows: anything that has to happen at a time."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import to_json
from tercet.domain.ids import IdMint
from tercet.store import statements as sql
from tercet.store.unit import Unit


def insert_timer(
    unit: Unit,
    mint: IdMint,
    *,
    kind: str,
    due_at_ms: int,
    execution_id: str | None = None,
    task_id: str | None = None,
    approval_id: str | None = None,
    payload: dict[str, Any] | None = None,
    timer_id: str | None = None,
) -> str:
    """Add a timer to the unit; return its id. The timer loop fires it once it is due and committed."""
    timer_id = timer_id or mint.mint("tmr")
    unit.add(
        sql.INSERT_TIMER,
        (
            timer_id,
            due_at_ms,
            kind,
            execution_id,
            task_id,
            approval_id,
            None if payload is None else to_json(payload),
        ),
    )
    unit.timers_due_at_ms = (
        due_at_ms if unit.timers_due_at_ms is None else min(unit.timers_due_at_ms, due_at_ms)
    )
    return timer_id
