"""From what commits to what is told: the notices of a change are rows of the same commit.

Nothing is sent here. A delivery is a row with a timer; if the change is lost, so is the notice of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json, to_json
from tercet.domain.masking import View
from tercet.domain.notices import NoticeEvent
from tercet.domain.status import ExecutionStatus
from tercet.engine.changes import Change
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState
from tercet.engine.timer_rows import insert_timer
from tercet.humans.subscriptions import Subscription, Subscriptions
from tercet.store import statements as sql
from tercet.store.unit import Row, Unit

DELIVERY_TIMER = "delivery"
_STATUSES = {
    ExecutionStatus.BLOCKED: NoticeEvent.EXECUTION_BLOCKED,
    ExecutionStatus.FAILED: NoticeEvent.EXECUTION_FAILED,
    ExecutionStatus.COMPLETED: NoticeEvent.EXECUTION_COMPLETED,
    ExecutionStatus.CANCELLED: NoticeEvent.EXECUTION_CANCELLED,
}
_LOGGED = frozenset(
    {
        "task_error",
        "task_blocked",
        "subtask_blocked",
        "subtask_queued",
        "approval_ready",
        "approval_escalated",
    }
)
_EVENT_TYPE = sql.INSERT_EVENT.columns.index("event_type")


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something to tell. `data` is what the message carries beside the execution."""

    event: str
    state: ExecutionState | None = None
    data: dict[str, Any] = field(default_factory=dict)


class Notices:
    """Rides on every change of an owner who has subscriptions."""

    def __init__(self, engine: Engine, subscriptions: Subscriptions, *, public_url: str, view: View) -> None:
        """`public_url` is where people reach the dashboard; `view` masks what is told."""
        self._engine = engine
        self._subscriptions = subscriptions
        self._public_url = public_url.rstrip("/")
        self._view = view
        engine.riders.append(self.ride)

    def ride(self, unit: Unit, changes: Sequence[Change]) -> None:
        """Add to the unit what has to be told of it."""
        owner_id = changes[0].state.owner_id
        wanted = self._subscriptions.of(owner_id)
        if not wanted:
            return
        now_ms = changes[0].now_ms
        for notice in _notices_of(unit, changes):
            for subscription in wanted:
                if notice.event in subscription.events:
                    self.add(unit, subscription, notice, now_ms=now_ms)

    def add(
        self,
        unit: Unit,
        subscription: Subscription,
        notice: Notice,
        *,
        now_ms: int,
        due_at_ms: int | None = None,
    ) -> str:
        """Add one delivery with its timer, due at once unless said otherwise; return its id."""
        delivery_id = self._engine.mint.mint("msg")
        state = notice.state
        unit.add(
            sql.INSERT_DELIVERY,
            (
                delivery_id, subscription.id, subscription.owner_id, notice.event, state.id if state else None,
                self._body(notice, now_ms), "pending", 0, None, None, now_ms, due_at_ms or now_ms, None,
            ),
        )  # fmt: skip
        insert_timer(
            unit, self._engine.mint, kind=DELIVERY_TIMER, due_at_ms=due_at_ms or now_ms,
            payload={"delivery_id": delivery_id},
        )  # fmt: skip
        return delivery_id

    def _body(self, notice: Notice, now_ms: int) -> str:
        data: dict[str, Any] = {}
        if notice.state is not None:
            data = {
                "execution_id": notice.state.id,
                "kind": notice.state.kind,
                "name": notice.state.name,
                "status": notice.state.status.value,
            }
        data |= {name: value for name, value in notice.data.items() if value is not None}
        data["link"] = self._link(data)
        return to_json({"type": notice.event, "timestamp": to_iso(now_ms), "data": self._view(data)})

    def _link(self, data: dict[str, Any]) -> str:
        if "approval_id" in data:
            return f"{self._public_url}/inbox?approval={data['approval_id']}"
        return (
            f"{self._public_url}/executions/{data['execution_id']}"
            if "execution_id" in data
            else self._public_url
        )


def _notices_of(unit: Unit, changes: Sequence[Change]) -> list[Notice]:
    states = {change.state.id: change.state for change in changes}
    found: list[Notice] = []
    told: set[tuple[str, str]] = set()
    for statement, row in unit.rows:
        notice = None
        if statement is sql.INSERT_EVENT and row[_EVENT_TYPE] in _LOGGED:
            notice = _of_event(row, states)
        elif statement is sql.INSERT_APPROVAL:
            notice = _of_approval(row, changes[0].state)
        if notice is None:
            continue
        # An approval over many executions is logged in each of them, and told once.
        key = (notice.event, str(notice.data.get("approval_id") or len(found)))
        if key not in told:
            told.add(key)
            found.append(notice)
    found += [notice for change in changes if (notice := _of_status(change)) is not None]
    return found


def _told_as(event: dict[str, Any]) -> NoticeEvent | None:
    """Return what a logged event is told as. With a subtask it is an agent worker's, or about its work."""
    of_work = event["subtask_id"] is not None
    match event["event_type"]:
        case "task_error" if not of_work:
            return NoticeEvent.TASK_FAILED
        case "task_blocked" | "subtask_blocked" if of_work:
            return NoticeEvent.TASK_BLOCKED
        case "subtask_queued" if event["error_type"] == "agent_silent":
            return NoticeEvent.AGENT_SILENT
        case "approval_ready":
            return NoticeEvent.APPROVAL_REQUESTED
        case "approval_escalated":
            return NoticeEvent.APPROVAL_ESCALATED
        case _:
            return None


def _of_event(row: Row, states: dict[str, ExecutionState]) -> Notice | None:
    event = dict(zip(sql.INSERT_EVENT.columns, row, strict=True))
    told_as = _told_as(event)
    if told_as is None:
        return None
    output = from_json(event["output_data"]) if event["output_data"] else {}
    return Notice(
        event=told_as,
        state=states.get(event["execution_id"]),
        data={
            "task_id": event["task_id"],
            "subtask_id": event["subtask_id"],
            "handler": event["name"],
            "approval_id": output.get("approval_id"),
            "error_type": event["error_type"],
            "message": event["error_message"] or event["message"],
        },
    )


def _of_approval(row: Row, state: ExecutionState) -> Notice | None:
    """An approval that people can decide at once; a bundle that still fills is told when it is ready."""
    approval = dict(zip(sql.INSERT_APPROVAL.columns, row, strict=True))
    if approval["ready_at_ms"] is None:
        return None
    return Notice(
        event=NoticeEvent.APPROVAL_REQUESTED,
        state=state,
        data={
            "approval_id": approval["id"],
            "handler": approval["handler"],
            "title": approval["title"],
            "expires_at": to_iso(approval["expires_at_ms"]),
        },
    )


def _of_status(change: Change) -> Notice | None:
    state = change.state
    event = _STATUSES.get(state.status)
    if event is None or state.status is change.status_before:
        return None
    if event is NoticeEvent.EXECUTION_BLOCKED and not state.needs_person:
        return None
    return Notice(event=event, state=state, data={"message": state.status_message})
