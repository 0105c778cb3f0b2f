"""What an execution waits for, in words; people's waits first (approval rule P10)."""

from __future__ import annotations

from tercet.domain.status import TaskStatus
from tercet.engine.state import ExecutionState


def why_blocked(state: ExecutionState, open_fan_ins: int) -> str:
    """Say what the execution waits for; people's waits first (approval rule P10)."""
    failed = state.count(TaskStatus.ERROR)
    blocked = [task for task in state.tasks.values() if task.status is TaskStatus.BLOCKED]
    reasons = []
    if failed:
        reasons.append(f"{failed} failed task{'s' if failed > 1 else ''}: retry or skip")
    if blocked:
        reasons.append(blocked[0].status_message or "waiting")
        if len(blocked) > 1:
            reasons[-1] += f" (and {len(blocked) - 1} more)"
    if open_fan_ins:
        reasons.append(f"waiting for events of {open_fan_ins} fan-in{'s' if open_fan_ins > 1 else ''}")
    if state.delayed_events:
        reasons.append(f"{state.delayed_events} delayed event{'s' if state.delayed_events > 1 else ''}")
    return "; ".join(reasons)


def why_failed(state: ExecutionState) -> str:
    """Say which failure ended the execution."""
    failed = next(task for task in state.tasks.values() if task.status is TaskStatus.ERROR)
    return failed.error_message or failed.error_type or "the task failed"
