"""The messages of streams (spec 5 §4), in the order of the log, without loss or double."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from tercet.domain.clock import to_iso
from tercet.domain.codec import to_json
from tercet.domain.errors import InvalidInput
from tercet.domain.ids import event_id
from tercet.engine.live import LiveEvent, LiveItem, LiveUpdate
from tercet.store.listing import get_execution, last_seq, list_events
from tercet.store.reader import Record
from tercet.wiring import Tercet

PING_SECONDS = 15.0
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `kind` is event, execution_update, resync, or ping, which is not sent over WebSockets."""

    kind: str
    text: str
    event_id: str | None = None


PING = Message("ping", "")


def seq_of(execution_id: str, last_event_id: str) -> int:
    """Return the number of the event after which a stream goes on. Raises InvalidInput for an id of elsewhere."""
    stem, _, number = last_event_id.rpartition("_")
    if not number.isdecimal() or stem != event_id(execution_id, 0).rpartition("_")[0]:
        raise InvalidInput(
            "last_event_id is not an event of this execution",
            detail=[{"field": "last_event_id", "rule": "is an event_id of this execution"}],
        )
    return int(number)


async def messages_of_execution(
    node: Tercet, execution: Record, *, after_seq: int | None
) -> AsyncIterator[Message]:
    """Yield the update as it is, what came after `after_seq`, then what comes; for as long as it is read."""
    execution_id, of_plan = execution["id"], execution["plan_id"] is not None
    with node.live.watch_execution(execution_id) as subscription:
        row = await node.reader.read(get_execution, owner_id=execution["owner_id"], execution_id=execution_id)
        yield _update(node, _update_of_row(row or execution))
        sent = after_seq if after_seq is not None else await node.reader.read(last_seq, execution_id)
        async for message in _stored(node, execution_id, sent, of_plan):
            sent = message[0]
            yield message[1]
        while not subscription.closed:
            items = await subscription.take(timeout_seconds=PING_SECONDS)
            if subscription.lost:
                yield Message(
                    "resync", to_json({"type": "resync", "execution_id": execution_id, "after_seq": sent})
                )
                subscription.begin_again()
                async for message in _stored(node, execution_id, sent, of_plan):
                    sent = message[0]
                    yield message[1]
                continue
            if not items and not subscription.closed:
                yield PING
            for item in items:
                if isinstance(item, LiveUpdate):
                    yield _update(node, item)
                    continue
                if item.seq > sent + 1:
                    async for message in _stored(node, execution_id, sent, of_plan):
                        sent = message[0]
                        yield message[1]
                if item.seq > sent:
                    sent = item.seq
                    yield _event(node, item)


async def messages_of_owner(node: Tercet, owner_id: str) -> AsyncIterator[Message]:
    """Yield what comes of all executions. After a `resync` the reader asks for what it shows again."""
    with node.live.watch_owner(owner_id) as subscription:
        yield Message("ready", to_json({"type": "ready", "timestamp": to_iso(node.engine.clock.now_ms())}))
        while not subscription.closed:
            items = await subscription.take(timeout_seconds=PING_SECONDS)
            if subscription.lost:
                subscription.begin_again()
                yield Message("resync", to_json({"type": "resync"}))
            elif not items and not subscription.closed:
                yield PING
            for item in items:
                yield _message(node, item)


async def _stored(
    node: Tercet, execution_id: str, after_seq: int, of_plan: bool
) -> AsyncIterator[tuple[int, Message]]:
    while True:
        rows = await node.reader.read(
            list_events, execution_id=execution_id, after_seq=after_seq, limit=_PAGE
        )
        for row in rows:
            after_seq = row["seq"]
            yield after_seq, _event(node, LiveEvent(execution_id, after_seq, row, of_plan))
        if len(rows) < _PAGE:
            return


def _message(node: Tercet, item: LiveItem) -> Message:
    return _update(node, item) if isinstance(item, LiveUpdate) else _event(node, item)


def _event(node: Tercet, item: LiveEvent) -> Message:
    name = event_id(item.execution_id, item.seq)
    text = item.texts.get("")
    if text is None:
        row = item.row
        task_id = row["task_id"]
        if item.of_plan:
            task_id = row["subtask_id"] if row["subtask_id"] and ":" not in row["subtask_id"] else row["name"]
        text = item.texts[""] = to_json(
            {
                "type": "event", "event_id": name, "execution_id": item.execution_id, "seq": item.seq,
                "event_type": row["event_type"], "name": row["name"], "task_id": task_id, "execution_task_id": row["task_id"],
                "subtask_id": row["subtask_id"], "agent_id": row["agent_id"], "status": row["status"],
                "message": node.reveals.masked(row["message"]), "error_type": row["error_type"],
                "timestamp": to_iso(row["at_ms"]),
            }
        )  # fmt: skip
    return Message("event", text, name)


def _update(node: Tercet, item: LiveUpdate) -> Message:
    text = item.texts.get("")
    if text is None:
        done = item.status == "COMPLETED"
        percent = 100 if done else 100 * item.tasks_completed // item.tasks_total if item.tasks_total else 0
        task_id, title = node.plan_work.work.held_title(item.execution_id)
        text = item.texts[""] = to_json(
            {
                "type": "execution_update", "execution_id": item.execution_id, "status": item.status,
                "status_message": node.reveals.masked(item.status_message),
                "progress": {
                    "tasks_completed": item.tasks_completed, "tasks_total": item.tasks_total, "percent": percent,
                    "current_task_id": task_id, "current_task_title": title,
                },
                "timestamp": to_iso(item.at_ms),
            }
        )  # fmt: skip
    return Message("execution_update", text)


def _update_of_row(row: Record) -> LiveUpdate:
    return LiveUpdate(
        row["id"],
        row["status"],
        row["status_message"],
        row["tasks_completed"],
        row["tasks_total"],
        row["updated_at_ms"],
    )
