"""Waits for events: an arriving event ends every wait of its execution that it matches."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import to_json
from tercet.domain.status import TaskStatus
from tercet.engine.changes import Change
from tercet.engine.definition import Definition
from tercet.engine.state import TaskState
from tercet.store import statements as sql


def satisfy_waits(change: Change, definition: Definition, event: dict[str, Any]) -> None:
    """Wake the tasks whose waits `event` matches."""
    state = change.state
    if not state.waits:
        return
    for wait in list(state.waits):
        if wait.event_name != event["name"]:
            continue
        if wait.condition is not None and not definition.event_matches(wait.condition, event):
            continue
        task = state.tasks.get(wait.task_id)
        if task is not None:
            wake(change, task, step=wait.step, result=event)


def wake(change: Change, task: TaskState, *, step: str, result: Any) -> None:
    """End the task's wait `step` with `result` and queue the task; its next attempt reads the result."""
    state = change.state
    change.record_step(task, step, to_json(result), started_at_ms=change.now_ms)
    for wait in [w for w in state.waits if w.task_id == task.id and w.step == step]:
        state.waits.remove(wait)
        change.unit.add(sql.DELETE_WAIT, (wait.id,))
    if task.is_work:
        change.moved.append(task)
    elif task.status is TaskStatus.BLOCKED:
        change.queue_task(task, due_at_ms=change.now_ms, reason="woken")
