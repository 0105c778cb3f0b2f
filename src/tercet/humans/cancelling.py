"""What cancelling an execution and revoking an approval do to items."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from tercet.domain.errors import InvalidStateTransition
from tercet.engine.control import Control
from tercet.engine.engine import Engine
from tercet.humans.decide import Decisions
from tercet.humans.person import Person, check_may_decide
from tercet.humans.rows import Locks, bundle_digest, write_approval, write_item
from tercet.store import statements as sql
from tercet.store.approvals import load_approval, open_items_of
from tercet.store.unit import Unit


class Cancelling:
    """Closes what nobody should decide or send any more."""

    def __init__(self, engine: Engine, control: Control, decisions: Decisions, locks: Locks) -> None:
        self._engine = engine
        self._control = control
        self._decisions = decisions
        self._locks = locks

    async def cancel_execution(self, execution_id: str, *, by: str, reason: str = "") -> None:
        """Cancel an execution and, in the same commit, its open approval items."""
        await self._end(execution_id, partial(self._control.cancel, execution_id, by=by, reason=reason))

    async def fail_execution(self, execution_id: str, *, reason: str) -> None:
        """End an execution as failed and, in the same commit, its open approval items."""
        await self._end(execution_id, partial(self._control.fail, execution_id, reason=reason))

    async def _end(self, execution_id: str, end: Callable[..., Awaitable[None]]) -> None:
        items = await self._engine.reader.read(open_items_of, execution_id)
        approval_ids = sorted({item["approval_id"] for item in items})
        if len(approval_ids) > 1:
            # Holding two locks at once could deadlock with a decision, so each bundle is a commit of its own.
            for approval_id in approval_ids:
                await self._cancel_items(approval_id, execution_id)
            await end()
        elif approval_ids:
            unit = Unit()
            async with self._locks.hold(approval_ids[0]):
                await self._add_items(approval_ids[0], execution_id, unit)
                await end(extra=unit)
        else:
            await end()

    async def _cancel_items(self, approval_id: str, execution_id: str) -> None:
        async with self._locks.hold(approval_id):
            unit = Unit()
            await self._add_items(approval_id, execution_id, unit)
            await self._engine.journal.submit(unit)

    async def _add_items(self, approval_id: str, execution_id: str, unit: Unit) -> None:
        approval = await self._engine.reader.read(load_approval, approval_id)
        if approval is None or approval["status"] != "pending":
            return
        for item in approval["items"]:
            if item["execution_id"] == execution_id and item["status"] == "pending":
                item["status"] = "cancelled"
                write_item(unit, item)
        pending = [item for item in approval["items"] if item["status"] == "pending"]
        approval["items_open"] = len(pending)
        approval["digest"] = bundle_digest(pending or approval["items"])
        if not pending:
            decided = {item["status"] for item in approval["items"]} - {"cancelled"}
            approval["status"] = "decided" if decided else "cancelled"
            approval["decided_at_ms"] = self._engine.clock.now_ms()
            unit.add(sql.DELETE_APPROVAL_TIMERS, (approval_id,))
        write_approval(unit, approval)

    async def revoke(self, approval_id: str, *, by: Person, reason: str) -> None:
        """Take an approval back: what has not been sent yet will not be."""
        async with self._locks.hold(approval_id):
            approval = await self._decisions.load(approval_id, by)
            check_may_decide(by, who={}, assigned_to=[], requested_by=None)
            approved = [item for item in approval["items"] if item["status"] == "approved"]
            if not approved:
                raise InvalidStateTransition(
                    f"the approval is {approval['status']}; there is nothing to revoke"
                )
            unit = Unit()
            for item in approved:
                item["status"] = "revoked"
                write_item(unit, item)
            if approval["status"] == "approved":
                approval["status"] = "revoked"
            await self._decisions.log_everywhere(
                approval, "approval_revoked", reason or "revoked", unit, by=by.user, items=approved
            )
