"""From rows to the state in memory."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.status import ExecutionStatus, SubtaskStatus, TaskStatus
from tercet.engine.state import ExecutionState, FanInState, SubtaskState, TaskState, WaitState


def to_state(loaded: dict[str, Any]) -> ExecutionState:
    """Build the state from what `store.executions.load_execution` returned."""
    row = loaded["execution"]
    state = ExecutionState(
        id=row["id"],
        owner_id=row["owner_id"],
        kind=row["kind"],
        name=row["name"],
        manifest_id=row["manifest_id"],
        status=ExecutionStatus(row["status"]),
        status_message=row["status_message"],
        created_at_ms=row["created_at_ms"],
        started_at_ms=row["started_at_ms"],
        completed_at_ms=row["completed_at_ms"],
        tasks_total=row["tasks_total"],
        tasks_completed=row["tasks_completed"],
        pause_requested=bool(row["pause_requested"]),
        cancel_requested=bool(row["cancel_requested"]),
        agent_id=row["agent_id"],
        plan_id=row["plan_id"],
        requested_by=row["requested_by"],
        seq=loaded["seq"],
        delayed_events=loaded["delayed_events"],
    )
    for task in loaded["tasks"]:
        state.add(_to_task(task))
    if state.plan_id is not None:
        state.agents, state.ended_at_ms = loaded["agents"], loaded["ended_at_ms"]
        for row in loaded["subtasks"]:
            state.tasks[row["task_id"]].subtasks[row["name"]] = _to_subtask(row)
    for wait in loaded["waits"]:
        state.waits.append(_to_wait(wait))
    for row in loaded["fan_ins"]:
        stored = from_json(row["received"])
        state.fan_ins[row["handler"], row["correlation_key"]] = FanInState(
            handler=row["handler"],
            key=row["correlation_key"],
            status=row["status"],
            received=stored["received"],
            needs=stored["needs"],
            created_at_ms=row["created_at_ms"],
        )
    return state


def _to_wait(row: dict[str, Any]) -> WaitState:
    return WaitState(
        id=row["id"],
        task_id=row["task_id"],
        step=row["subtask_id"],
        event_name=row["event_name"],
        condition=row["condition"],
    )


def _to_task(row: dict[str, Any]) -> TaskState:
    return TaskState(
        id=row["id"],
        handler=row["handler"],
        executor=row["executor"],
        status=TaskStatus(row["status"]),
        status_message=row["status_message"],
        event_seq=row["event_seq"],
        input=row["input"],
        hops=row["hops"],
        priority=row["priority"],
        attempt=row["attempt"],
        failures=row["failures"],
        max_attempts=row["max_attempts"],
        due_at_ms=row["due_at_ms"],
        lease_token=row["lease_token"],
        created_at_ms=row["created_at_ms"],
        started_at_ms=row["started_at_ms"],
        error_type=row["error_type"],
        error_message=row["error_message"],
        has_steps=True,
    )


def _to_subtask(row: dict[str, Any]) -> SubtaskState:
    return SubtaskState(
        name=row["name"],
        status=SubtaskStatus(row["status"]),
        attempt=row["attempt"],
        failures=row["failures"] or 0,
        agent_id=row["agent_id"],
        due_at_ms=row["due_at_ms"] or 0,
        waits_for=row["waits_for"],
        result=row["result_data"],
        error_type=row["error_type"],
        error_message=row["error_message"],
        started_at_ms=row["started_at_ms"],
        completed_at_ms=row["completed_at_ms"],
    )
