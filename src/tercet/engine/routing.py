"""From an event to tasks: records it, starts what it triggers, feeds fan-ins and waits, all in one change."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.status import TaskStatus
from tercet.engine.changes import Change
from tercet.engine.definition import Definition, Emission, Triggered
from tercet.engine.state import FanInState, TaskState
from tercet.engine.timer_rows import insert_timer
from tercet.engine.waiting import satisfy_waits
from tercet.store import statements as sql


def record_and_route(
    change: Change,
    definition: Definition,
    *,
    name: str,
    data: dict[str, Any],
    hops: int,
    source: str,
    task_id: str | None = None,
    delay_seconds: float = 0.0,
) -> int | None:
    """Record the event and create the tasks that it triggers.

    Returns the event's sequence number, or None for a delayed event, which becomes a timer.
    """
    if delay_seconds > 0:
        _delay(
            change,
            name=name,
            data=data,
            hops=hops,
            source=source,
            task_id=task_id,
            delay_seconds=delay_seconds,
        )
        return None
    seq = change.record_event(name, data, source=source, task_id=task_id)
    route(change, definition, name=name, data=data, seq=seq, hops=hops)
    return seq


def route(
    change: Change, definition: Definition, *, name: str, data: dict[str, Any], seq: int, hops: int
) -> None:
    """Start what the recorded event `seq` triggers."""
    event = {"name": name, "data": data, "execution_id": change.state.id, "seq": seq}
    satisfy_waits(change, definition, event)
    for triggered in definition.triggered_by(event):
        if triggered.fan_in_key is None:
            _create(change, definition, triggered, seq=seq, hops=hops, event=event)
        else:
            _feed_fan_in(change, definition, triggered, event=event, hops=hops)


def emit_all(change: Change, definition: Definition, task: TaskState, emissions: list[Emission]) -> None:
    """Record and route what a completed task emits."""
    for emission in emissions:
        record_and_route(
            change, definition, name=emission.name, data=emission.data, hops=task.hops + 1, source=task.handler,
            task_id=task.id, delay_seconds=emission.delay_seconds,
        )  # fmt: skip


def _create(
    change: Change,
    definition: Definition,
    triggered: Triggered,
    *,
    seq: int,
    hops: int,
    event: dict[str, Any] | None,
    task_input: str | None = None,
) -> None:
    spec = definition.handler(triggered.handler)
    task = TaskState(
        id=change.mint.mint("tsk"),
        handler=spec.name,
        executor=spec.executor,
        status=TaskStatus.QUEUED,
        event_seq=seq,
        hops=hops,
        priority=spec.priority,
        max_attempts=spec.retry.max_attempts,
        due_at_ms=change.now_ms,
        created_at_ms=change.now_ms,
        input=task_input,
        event=event,
    )
    change.create_task(task)
    if definition.max_hops is not None and hops > definition.max_hops:
        change.start_task(task, "none")
        change.fail_task(
            task,
            error_type="HOP_LIMIT",
            error_message=f"the chain of events is longer than max_hops ({definition.max_hops}); a cycle does not end",
        )


def _feed_fan_in(
    change: Change, definition: Definition, triggered: Triggered, *, event: dict[str, Any], hops: int
) -> None:
    state = change.state
    key = triggered.fan_in_key or ""
    rule = definition.fan_in(triggered.handler)
    fan_in = state.fan_ins.get((triggered.handler, key))
    if fan_in is None:
        fan_in = FanInState(handler=triggered.handler, key=key, created_at_ms=change.now_ms)
        state.fan_ins[triggered.handler, key] = fan_in
        if rule.timeout_seconds is not None:
            insert_timer(
                change.unit,
                change.mint,
                kind="fan_in_timeout",
                due_at_ms=change.now_ms + int(rule.timeout_seconds * 1000),
                execution_id=state.id,
                payload={"handler": triggered.handler, "key": key, "hops": hops},
            )
    if fan_in.status != "waiting":
        change.log(
            "fan_in_late",
            name=triggered.handler,
            message=f"{event['name']} came after the fan-in had started",
        )
        return
    fan_in.received.setdefault(event["name"], []).append(event["seq"])
    if event["name"] == rule.primary:
        fan_in.needs = definition.fan_in_needs(triggered.handler, event)
    if fan_in.needs is not None and all(
        len(fan_in.received.get(n, ())) >= fan_in.needs for n in rule.wait_for
    ):
        start_fan_in(change, definition, fan_in, hops=hops, partial=False)
    else:
        write_fan_in(change, fan_in)


def start_fan_in(
    change: Change, definition: Definition, fan_in: FanInState, *, hops: int, partial: bool
) -> None:
    """Start the fan-in's handler with what has come."""
    rule = definition.fan_in(fan_in.handler)
    fan_in.status = "partial" if partial else "started"
    write_fan_in(change, fan_in)
    seqs = sorted(seq for received in fan_in.received.values() for seq in received)
    missing = [
        n for n in (rule.primary, *rule.wait_for) if len(fan_in.received.get(n, ())) < (fan_in.needs or 1)
    ]
    if fan_in.received.get(rule.primary) and rule.primary in missing:
        missing.remove(rule.primary)
    _create(
        change,
        definition,
        Triggered(handler=fan_in.handler),
        seq=seqs[0],
        hops=hops,
        event=None,
        task_input=to_json(
            {
                "key": fan_in.key,
                "partial": partial,
                "missing": missing,
                "primary": rule.primary,
                "received": fan_in.received,
            }
        ),
    )


def write_fan_in(change: Change, fan_in: FanInState) -> None:
    """Write the fan-in's row."""
    change.log(
        "fan_in_updated",
        name=fan_in.handler,
        status=fan_in.status,
        message=fan_in.key,
        output=to_json({"received": fan_in.received, "needs": fan_in.needs}),
    )
    change.unit.add(
        sql.UPSERT_FAN_IN,
        (
            change.state.id, fan_in.handler, fan_in.key, fan_in.status,
            to_json({"received": fan_in.received, "needs": fan_in.needs}), fan_in.created_at_ms,
        ),
    )  # fmt: skip


def _delay(
    change: Change,
    *,
    name: str,
    data: dict[str, Any],
    hops: int,
    source: str,
    task_id: str | None,
    delay_seconds: float,
) -> None:
    due_at_ms = change.now_ms + int(delay_seconds * 1000)
    change.state.delayed_events += 1
    change.log(
        "event_delayed", name=name, task_id=task_id, agent_id=source, output=to_json({"due_at_ms": due_at_ms})
    )
    insert_timer(
        change.unit,
        change.mint,
        kind="delayed_event",
        due_at_ms=due_at_ms,
        execution_id=change.state.id,
        task_id=task_id,
        payload={"name": name, "data": data, "hops": hops, "source": source},
    )


def fan_in_event(task_input: str, events: dict[int, dict[str, Any]], execution_id: str) -> dict[str, Any]:
    """Return the event that a fan-in's handler gets, from the stored input and the events by number."""
    stored = from_json(task_input)
    received = {name: [events[seq]["data"] for seq in seqs] for name, seqs in stored["received"].items()}
    primary = received.pop(stored["primary"], [None])[0]
    return {
        "name": "fan-in",
        "execution_id": execution_id,
        "data": {
            "key": stored["key"],
            "partial": stored["partial"],
            "missing": stored["missing"],
            "primary": primary,
            "events": received,
        },
    }
