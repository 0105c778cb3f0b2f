"""One in-process run: sends the events, waits until nothing is left to do, has people's decisions made."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.codec import from_json
from tercet.humans.decide import Decision
from tercet.humans.notices import DELIVERY_TIMER
from tercet.humans.person import Person
from tercet.store.approvals import list_approvals, load_approval
from tercet.store.executions import next_timer_at_ms
from tercet.store.listing import count_by_status
from tercet.store.reader import Record
from tercet.store.unit import Unit
from tercet.wiring import Tercet

Decide = Callable[[Record], Awaitable[list[Decision]]]
"""Returns the decisions on one approval (with its items); an empty list leaves it open."""
_ENDED = ("COMPLETED", "FAILED", "CANCELLED")


@dataclass(kw_only=True)
class Counts:
    """What has happened so far, counted from commits."""

    events: int = 0
    tasks: dict[str, dict[str, int]] = field(default_factory=dict)
    """handler → {created, complete, error, retries}"""
    executor_of: dict[str, str] = field(default_factory=dict)
    cost_picousd: int = 0
    tokens: int = 0
    approvals_decided: int = 0

    def hear(self, unit: Unit) -> None:
        """Count a committed unit."""
        for statement, row in unit.rows:
            if statement.name == "insert_execution_events":
                self._hear_event(row[2], row[3], row[9])
            elif statement.name == "settle_ledger":
                self.cost_picousd += row[2]
                self.tokens += row[3] + row[4]

    def _hear_event(self, event_type: str, name: str | None, output: str | None) -> None:
        self.events += 1
        key = {
            "task_created": "created", "task_complete": "complete", "task_error": "error", "task_retrying": "retries",
            "task_skipped": "complete", "task_cancelled": "complete",
        }.get(event_type)  # fmt: skip
        if event_type == "approval_decided":
            self.approvals_decided += 1
        if key is None or name is None:
            return
        counts = self.tasks.setdefault(name, {"created": 0, "complete": 0, "error": 0, "retries": 0})
        counts[key] += 1
        if key == "created" and output is not None:
            self.executor_of[name] = from_json(output)["executor"]


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a run ended."""

    execution_ids: list[str]
    statuses: dict[str, int]
    seconds: float

    @property
    def all_completed(self) -> bool:
        """Whether every execution completed."""
        return set(self.statuses) == {"COMPLETED"}


async def run_events(
    node: Tercet,
    *,
    owner_id: str,
    event: str,
    rows: list[dict[str, Any]],
    manifest: str,
    decide: Decide | None,
    person: Person,
    patience_seconds: float = 600.0,
) -> RunResult:
    """Send an event for every row and work until idle. Timers further away than `patience_seconds` are not awaited."""
    began = time.monotonic()
    for row in rows:
        await node.events.check(owner_id=owner_id, name=event, data=row, manifest=manifest, execution_id=None)
    receipts = [
        await node.events.send(owner_id=owner_id, name=event, data=row, source=person.user, manifest=manifest)
        for row in rows
    ]
    ids = [receipt.execution_id for receipt in receipts]
    left_open: set[tuple[str, str]] = set()
    while True:
        await node.engine.wait_idle()
        await node.engine.journal.barrier()
        statuses = await node.reader.read(count_by_status, ids)
        if not any(status not in _ENDED for status in statuses):
            break
        if decide is not None and await decide_some(node, owner_id, decide, person, left_open):
            continue
        if not await wait_for_next(node, patience_seconds):
            break
    await node.outbox.first_attempts()
    return RunResult(execution_ids=ids, statuses=statuses, seconds=time.monotonic() - began)


async def decide_some(
    node: Tercet, owner_id: str, decide: Decide, person: Person, left_open: set[tuple[str, str]]
) -> bool:
    """Have the first approval that is not left open decided; return whether one was."""
    rows = await node.reader.read(list_approvals, owner_id=owner_id, status="pending", limit=500, after=None)
    for row in rows:
        if (row["id"], row["digest"]) in left_open:
            continue
        approval = await node.reader.read(load_approval, row["id"])
        if approval is None:
            continue
        decisions = await decide(approval)
        for decision in decisions:
            await node.decisions.decide(row["id"], decision, by=person)
        if decisions:
            return True
        left_open.add((row["id"], row["digest"]))
    return False


async def wait_for_next(node: Tercet, patience_seconds: float) -> bool:
    """Wait for the next timer; return whether there is one within the patience."""
    now_ms = node.engine.clock.now_ms()
    # Nobody waits for messages that are tried again: the next process on this folder sends them.
    # From the beginning of time: on a busy machine a timer may be due and not have fired yet.
    next_at_ms = await node.reader.read(next_timer_at_ms, 0, besides=DELIVERY_TIMER)
    times = [next_at_ms, node.engine.next_due_at_ms]
    due = [at_ms for at_ms in times if at_ms is not None]
    if not due or min(due) - now_ms > patience_seconds * 1000:
        return False
    await asyncio.sleep(max(0.0, min(min(due) - now_ms, 1_000) / 1000) + 0.005)
    return True
