"""What a handler works with: named steps, events, sleeps, waits, executors. Everything it records is durable."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from tercet.domain.codec import from_json, to_json
from tercet.domain.contract import ExecutorRequest, ExecutorResult
from tercet.domain.duration import parse_seconds
from tercet.domain.errors import HandlerFailed, NonRetryable, StaleClaim
from tercet.domain.status import ExecutionStatus
from tercet.engine.changes import Change
from tercet.engine.definition import Definition, Emission
from tercet.engine.state import ExecutionState, TaskState, WaitState
from tercet.engine.timer_rows import insert_timer
from tercet.store import statements as sql
from tercet.store.executions import events_named

if TYPE_CHECKING:
    from tercet.engine.engine import Engine

T = TypeVar("T")
_LONGEST_STEP_NAME = 200


class Suspended(BaseException):
    """Unwinds a handler whose task waits; not an Exception, so that `except Exception` lets it pass."""


@dataclass(kw_only=True)
class TaskContext:
    """One attempt of one task. Handlers get it as `ctx`; a second attempt replays the recorded steps."""

    engine: Engine
    state: ExecutionState
    task: TaskState
    definition: Definition
    event: dict[str, Any]
    lease_token: str
    memo: dict[str, str]
    """Results of completed steps, JSON by name."""
    emissions: list[Emission] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    """Constants of the manifest (`config.variables`)."""
    prefix: str = ""
    """Before the names of all steps: for work inside of a task that names its steps without knowing the others."""
    _used: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)

    def within(self, prefix: str, event: dict[str, Any], variables: dict[str, Any]) -> TaskContext:
        """Return a context for work inside of this task: the same attempt, an event and step names of its own."""
        return replace(
            self, prefix=self.prefix + prefix, event=event, variables=variables, emissions=[], _counts={}
        )

    @property
    def execution_id(self) -> str:
        return self.state.id

    @property
    def task_id(self) -> str:
        return self.task.id

    @property
    def attempt(self) -> int:
        """1 for the first attempt."""
        return self.task.attempt

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this task: hand it to everything outside that can use one."""
        return f"{self.task.id}:{self.prefix}" if self.prefix else self.task.id

    @property
    def log(self) -> Any:
        """A structured logger that knows the execution, the task and the attempt."""
        return structlog.get_logger(self.task.handler).bind(
            execution_id=self.state.id, task_id=self.task.id, attempt=self.task.attempt
        )

    async def step(self, name: str, fn: Callable[..., Awaitable[T] | T], *args: Any, **kwargs: Any) -> T:
        """Run `fn` once in the life of the task and return its result; later attempts get the recorded one.

        The result has to be JSON-ready and comes back as JSON gives it (tuples as lists). A plain function
        runs in a thread. A name can be used once in an attempt.
        """
        name = self.prefix + name
        recorded = self.claim_step(name)
        if recorded is not None:
            return from_json(recorded)  # type: ignore[no-any-return]
        self.check_may_continue()
        started_at_ms = self.engine.clock.now_ms()
        if inspect.iscoroutinefunction(fn):
            value = await fn(*args, **kwargs)
        else:
            value = await asyncio.to_thread(fn, *args, **kwargs)
            if inspect.isawaitable(value):
                value = await value
        text = _encode(name, value)
        await self.record(name, text, started_at_ms=started_at_ms)
        return from_json(text)  # type: ignore[no-any-return]

    async def record(self, name: str, text: str, *, started_at_ms: int) -> None:
        """Make the result `text` (JSON) of the step `name` durable."""
        change = self.change()
        change.record_step(self.task, name, text, started_at_ms=started_at_ms)
        self.memo[name] = text
        await self.engine.submit(change)

    def emit(self, name: str, data: dict[str, Any] | None = None, *, delay: float | str = 0) -> None:
        """Emit an event when the task completes: completion, event and what it triggers are one commit."""
        spec = self.definition.handler(self.task.handler)
        if spec.emits is not None and name not in spec.emits:
            raise NonRetryable(
                f"{spec.name!r} may not emit {name!r}",
                hint=f"declare it under the handler's emits: {sorted(spec.emits)}",
            )
        if data is not None and not isinstance(data, dict):
            raise NonRetryable(f"the data of {name!r} must be an object, not {type(data).__name__}")
        self.emissions.append(Emission(name=name, data=data or {}, delay_seconds=parse_seconds(delay)))

    async def sleep(self, duration: float | str, *, name: str | None = None) -> None:
        """Wait durably: `30`, `"4h"`. The task leaves memory and comes back when the time has passed."""
        step = self.prefix + (name or self._numbered("sleep"))
        if self.claim_step(step) is not None:
            return
        seconds = parse_seconds(duration)
        due_at_ms = self.engine.clock.now_ms() + int(seconds * 1000)
        change = self.change()
        change.begin_step(self.task, step)
        insert_timer(
            change.unit, change.mint, kind="sleep", due_at_ms=due_at_ms, execution_id=self.state.id,
            task_id=self.task.id, payload={"step": step},
        )  # fmt: skip
        await self.suspend(change, f"sleeping ({step})", human=False)

    async def wait_for_event(
        self,
        name: str,
        *,
        match: str | None = None,
        timeout: float | str | None = None,
        step: str | None = None,
    ) -> dict[str, Any] | None:
        """Return the first event `name` of this execution that `match` (CEL) holds for, or None after `timeout`.

        It matches from the execution's start: an event that came before the call counts.
        """
        step = self.prefix + (step or self._numbered(f"wait:{name}"))
        recorded = self.claim_step(step)
        if recorded is not None:
            return from_json(recorded)  # type: ignore[no-any-return]
        self.check_may_continue()
        wait = WaitState(
            id=self.engine.mint.mint("wai"), task_id=self.task.id, step=step, event_name=name, condition=match
        )
        # Watching starts before the look back, so that no event can pass between the two.
        self.state.waits.append(wait)
        await self.engine.journal.barrier()
        found = await self._earlier_event(name, match)
        if step in self.memo or wait not in self.state.waits:
            return await self._woken_while_looking(step)
        if found is not None:
            self.state.waits.remove(wait)
            await self.record(step, to_json(found), started_at_ms=self.engine.clock.now_ms())
            return found
        await self._suspend_on(wait, timeout)
        raise AssertionError("unreachable: a suspended task does not go on")

    async def run_executor(
        self, request: ExecutorRequest | dict[str, Any], *, name: str | None = None
    ) -> ExecutorResult:
        """Run an executor of the registry as a durable step: budget reserved before, usage settled after."""
        parsed = request if isinstance(request, ExecutorRequest) else ExecutorRequest.model_validate(
            {"task_id": self.task.id, **request}
        )  # fmt: skip
        step = self.prefix + (name or self._numbered(f"executor:{parsed.executor_type}"))
        recorded = self.claim_step(step)
        if recorded is not None:
            return ExecutorResult.model_validate_json(recorded)
        self.check_may_continue()
        result: ExecutorResult = await self.engine.calls.run(self, parsed, step)
        return result

    async def approval(self, title: str, data: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
        """Ask people to decide; return the decision {decision, data, edits, feedback, option, decided_by, …}.

        `spec` takes the fields of a declared human step: form, editable, options, who, reminders, timeout.
        """
        step = self.prefix + (spec.pop("step", None) or self._numbered("approval"))
        recorded = self.claim_step(step)
        if recorded is not None:
            return from_json(recorded)  # type: ignore[no-any-return]
        self.check_may_continue()
        await self.engine.request_approval(self, step, title=title, data=data or {}, spec=spec)
        raise AssertionError("unreachable: a suspended task does not go on")

    def change(self) -> Change:
        """Begin a change of this task; raises StaleClaim when the attempt no longer owns it."""
        if self.state.lost or self.task.lease_token != self.lease_token:
            raise StaleClaim(f"attempt {self.task.attempt} of {self.task.id} no longer owns the task")
        return self.engine.change(self.state)

    async def suspend(self, change: Change, message: str, *, human: bool) -> None:
        """Commit the change with the task as blocked, then unwind the handler."""
        change.block_task(self.task, message, human=human)
        await self.engine.submit(change)
        raise Suspended

    def check_may_continue(self) -> None:
        """Stop between two steps when the execution was paused or this attempt has lost its claim."""
        if self.state.lost or self.task.lease_token != self.lease_token:
            raise StaleClaim(f"attempt {self.task.attempt} of {self.task.id} no longer owns the task")
        if self.state.status is ExecutionStatus.PAUSED:
            change = self.change()
            change.queue_task(self.task, due_at_ms=change.now_ms, reason="paused")
            self.engine.submit(change)
            raise Suspended

    def claim_step(self, name: str) -> str | None:
        """Take a step's name for this attempt; return its recorded result (JSON), or None."""
        if not name or len(name) > _LONGEST_STEP_NAME:
            raise NonRetryable(f"a step's name has 1 to {_LONGEST_STEP_NAME} characters, not {len(name)}")
        if name in self._used:
            raise NonRetryable(
                f"the step name {name!r} is used twice",
                hint="names are what makes a step repeatable: add an index",
            )
        self._used.add(name)
        return self.memo.get(name)

    def _numbered(self, stem: str) -> str:
        number = self._counts[stem] = self._counts.get(stem, 0) + 1
        return f"{stem}:{number}"

    async def _earlier_event(self, name: str, match: str | None) -> dict[str, Any] | None:
        for row in await self.engine.reader.read(events_named, self.state.id, name):
            event = {
                "name": row["name"], "data": from_json(row["output_data"]), "execution_id": self.state.id, "seq": row["seq"],
            }  # fmt: skip
            if match is None or self.definition.event_matches(match, event):
                return event
        return None

    async def _woken_while_looking(self, step: str) -> dict[str, Any] | None:
        await self.engine.journal.barrier()
        recorded = (await self.engine.load_steps(self.task.id)).get(step)
        if recorded is None:
            raise HandlerFailed(f"the wait {step!r} ended without a result")
        self.memo[step] = recorded
        return from_json(recorded)  # type: ignore[no-any-return]

    async def _suspend_on(self, wait: WaitState, timeout: float | str | None) -> None:
        change = self.change()
        expires_at_ms = None if timeout is None else change.now_ms + int(parse_seconds(timeout) * 1000)
        change.begin_step(self.task, wait.step)
        change.unit.add(
            sql.INSERT_WAIT,
            (
                wait.id, self.state.id, self.task.id, wait.step, "event", wait.event_name, wait.condition,
                change.now_ms, expires_at_ms,
            ),
        )  # fmt: skip
        if expires_at_ms is not None:
            insert_timer(
                change.unit, change.mint, kind="wait_timeout", due_at_ms=expires_at_ms,
                execution_id=self.state.id, task_id=self.task.id, payload={"step": wait.step},
            )  # fmt: skip
        await self.suspend(change, f"waiting for the event {wait.event_name}", human=False)


def _encode(name: str, value: Any) -> str:
    try:
        return to_json(value)
    except TypeError as error:
        raise NonRetryable(
            f"the result of step {name!r} is not JSON: {error}",
            hint="return dicts, lists, strings, numbers, booleans or None",
        ) from error
