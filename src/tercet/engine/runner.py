"""Runs one attempt of a task and turns its end into a change: complete, retry, dead letter, hand-back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import structlog

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import (
    HandlerFailed,
    HandlerTimedOut,
    NonRetryable,
    StaleClaim,
    StoreUnavailable,
    TercetError,
)
from tercet.domain.retry import backoff_seconds
from tercet.domain.status import ExecutionStatus, TaskStatus
from tercet.engine.changes import Change
from tercet.engine.context import Suspended, TaskContext
from tercet.engine.definition import Definition, Emission, HandlerSpec
from tercet.engine.routing import emit_all, fan_in_event
from tercet.engine.state import ExecutionState, TaskState
from tercet.store.executions import load_events

if TYPE_CHECKING:
    from tercet.engine.engine import Engine

_log = structlog.get_logger(__name__)
_LONGEST_MESSAGE = 2_000


async def run_attempt(engine: Engine, state: ExecutionState, task: TaskState, definition: Definition) -> None:
    """Run the attempt that the task's lease token stands for. Never raises, except for cancellation."""
    token = task.lease_token
    assert token is not None
    spec = definition.handler(task.handler)
    timeout = asyncio.timeout(spec.timeout_seconds)
    try:
        async with timeout:
            context = await _context(engine, state, task, definition, token)
            result, emissions = await definition.run(context)
        await _complete(engine, context, result, emissions)
    except Suspended:
        return
    except StaleClaim:
        _log.info("task.claim_lost", task_id=task.id, execution_id=state.id)
    except StoreUnavailable:
        return  # the engine reclaims the task once the store is back
    except TimeoutError as error:
        failure: Exception = error
        if timeout.expired():
            failure = HandlerTimedOut(f"the attempt ran longer than {spec.timeout_seconds:g} s")
        await _fail(engine, state, task, spec, token, failure)
    except Exception as error:
        await _fail(engine, state, task, spec, token, error)


async def _context(
    engine: Engine, state: ExecutionState, task: TaskState, definition: Definition, token: str
) -> TaskContext:
    memo = await engine.load_steps(task.id) if task.has_steps else {}
    event = task.event
    if event is None:
        event = await _read_event(engine, state, task)
    return TaskContext(
        engine=engine,
        state=state,
        task=task,
        definition=definition,
        event=event,
        lease_token=token,
        memo=memo,
    )


async def _read_event(engine: Engine, state: ExecutionState, task: TaskState) -> dict[str, Any]:
    seqs = [task.event_seq]
    if task.input is not None:
        seqs = [seq for received in from_json(task.input)["received"].values() for seq in received]
    events = {
        row["seq"]: {
            "name": row["name"],
            "data": from_json(row["output_data"]),
            "execution_id": state.id,
            "seq": row["seq"],
        }
        for row in await engine.reader.read(load_events, state.id, seqs)
    }
    if task.input is not None:
        return fan_in_event(task.input, events, state.id)
    return events[task.event_seq]


async def _complete(engine: Engine, context: TaskContext, result: Any, emissions: list[Emission]) -> None:
    state, task, definition = context.state, context.task, context.definition
    for emission in emissions:
        definition.check_event(emission.name, emission.data)
    try:
        text = None if result is None else to_json(result)
    except TypeError as error:
        raise NonRetryable(f"the result is not JSON: {error}") from error
    change = context.change()
    if state.status is ExecutionStatus.CANCELLED:
        return
    change.complete_task(task, text)
    emit_all(change, definition, task, emissions)
    await engine.submit(change)


async def _fail(
    engine: Engine, state: ExecutionState, task: TaskState, spec: HandlerSpec, token: str, error: Exception
) -> None:
    if state.lost or task.lease_token != token or task.status is not TaskStatus.RUNNING:
        return
    error_type, message = describe_failure(error)
    if not isinstance(error, TercetError):
        _log.error(
            "task.raised", task_id=task.id, execution_id=state.id, handler=task.handler, exc_info=error
        )
    change = engine.change(state)
    delay = None
    if not isinstance(error, NonRetryable):
        delay = backoff_seconds(
            spec.retry,
            attempt=task.failures + 1,
            random=engine.random(),
            retry_after_seconds=getattr(error, "retry_after_seconds", None),
        )
    if delay is None:
        change.fail_task(task, error_type=error_type, error_message=message)
    else:
        due_at_ms = change.now_ms + int(delay * 1000)
        change.retry_task(task, error_type=error_type, error_message=message, due_at_ms=due_at_ms)
    try:
        await engine.submit(change)
    except (StaleClaim, StoreUnavailable):
        _log.warning("task.failure_not_recorded", task_id=task.id)


def describe_failure(error: Exception) -> tuple[str, str]:
    """Return (error_type, message) as the log keeps them."""
    if isinstance(error, HandlerFailed):
        return getattr(error, "error_type", None) or error.code, str(error)[:_LONGEST_MESSAGE]
    if isinstance(error, TercetError):
        return error.code, str(error)[:_LONGEST_MESSAGE]
    return type(error).__name__, (str(error) or type(error).__name__)[:_LONGEST_MESSAGE]


def hand_back(change: Change, task: TaskState, reason: str) -> None:
    """Put a running task back: its runner is gone, and that was not the handler's fault."""
    change.queue_task(task, due_at_ms=change.now_ms, reason=reason)
