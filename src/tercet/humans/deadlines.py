"""What happens to an approval when nobody decides: reminders, escalation, timeout; and when it is complete."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import NotFound
from tercet.engine.engine import Engine
from tercet.engine.timer_rows import insert_timer
from tercet.humans.decide import Decisions
from tercet.humans.requests import make_ready
from tercet.humans.rows import Locks, write_approval
from tercet.store import statements as sql
from tercet.store.approvals import load_approval
from tercet.store.reader import Record
from tercet.store.unit import Unit

_MOST_REMINDERS = 6
"""Where an approval does not say how many."""


class Deadlines:
    """Handles the timers of approvals. A timeout is recorded as a timeout, never as a person's no."""

    def __init__(self, engine: Engine, decisions: Decisions, locks: Locks) -> None:
        self._engine = engine
        self._decisions = decisions
        self._locks = locks
        engine.timers.on("approval_reminder", self._remind)
        engine.timers.on("approval_escalation", self._escalate)
        engine.timers.on("approval_timeout", self._expire)
        engine.timers.on("approval_window", self._close_window)

    async def _pending(self, row: Record) -> Record:
        approval = await self._engine.reader.read(load_approval, row["approval_id"])
        if approval is None or approval["status"] != "pending":
            raise NotFound("the approval is decided")
        return approval

    def _next(self, unit: Unit, approval: Record, kind: str, seconds: float) -> None:
        due_at_ms = self._engine.clock.now_ms() + int(seconds * 1000)
        insert_timer(unit, self._engine.mint, kind=kind, due_at_ms=due_at_ms, approval_id=approval["id"])

    async def _remind(self, row: Record) -> None:
        async with self._locks.hold(row["approval_id"]):
            approval = await self._pending(row)
            reminders: dict[str, Any] = from_json(approval["spec"])["reminders"]
            most = int(reminders.get("max") or _MOST_REMINDERS)
            approval["reminders_sent"] += 1
            unit = Unit()
            unit.add(sql.DELETE_TIMER, (row["id"],))
            if approval["reminders_sent"] < most:
                self._next(unit, approval, "approval_reminder", reminders["every_seconds"])
            message = f"reminder {approval['reminders_sent']} of {most}"
            await self._commit(approval, "approval_reminded", message, unit)

    async def _escalate(self, row: Record) -> None:
        async with self._locks.hold(row["approval_id"]):
            approval = await self._pending(row)
            unit = Unit()
            unit.add(sql.DELETE_TIMER, (row["id"],))
            await self._escalate_now(approval, unit)

    async def _escalate_now(self, approval: Record, unit: Unit) -> None:
        to = from_json(approval["spec"])["escalation"]["to"]
        approval["assigned_to"] = to_json(to)
        approval["escalated_at_ms"] = self._engine.clock.now_ms()
        await self._commit(approval, "approval_escalated", f"to {', '.join(to)}", unit)

    async def _expire(self, row: Record) -> None:
        async with self._locks.hold(row["approval_id"]):
            approval = await self._pending(row)
            spec = from_json(approval["spec"])
            policy = spec.get("on_timeout") or "emit"
            unit = Unit()
            unit.add(sql.DELETE_TIMER, (row["id"],))
            if policy == "escalate" and approval["escalated_at_ms"] is None:
                self._next(unit, approval, "approval_timeout", spec["timeout_seconds"])
                await self._escalate_now(approval, unit)
                return
            verdict: dict[str, Any] = {"decision": "timeout", "edits": {}, "feedback": None, "policy": policy}
            verdicts = {
                item["id"]: {**verdict, "data": from_json(item["data"])}
                for item in approval["items"]
                if item["status"] == "pending"
            }
            await self._decisions.apply(approval, verdicts, None, decided_by=None)

    async def _close_window(self, row: Record) -> None:
        async with self._locks.hold(row["approval_id"]):
            approval = await self._pending(row)
            item = next(item for item in approval["items"] if item["status"] == "pending")
            async with self._engine.hold(item["execution_id"]) as state:
                change = self._engine.change(state)
                change.unit.add(sql.DELETE_TIMER, (row["id"],))
                make_ready(change, approval, from_json(approval["spec"]))
                write_approval(change.unit, approval)
                await self._engine.submit(change)

    async def _commit(self, approval: Record, event_type: str, message: str, unit: Unit) -> None:
        await self._decisions.log_everywhere(approval, event_type, message, unit)
