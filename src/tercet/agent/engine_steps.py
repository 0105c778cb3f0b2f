"""A run's steps under the engine: every turn and every call is recorded in the commit that pays for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tercet.agent.audit_book import AuditBook
from tercet.agent.feed import RunFeed
from tercet.domain.codec import from_json, to_json
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.errors import ContextLengthExceededError
from tercet.engine.calls import ExecutorFailed, ExecutorRefused, settled
from tercet.engine.context import TaskContext
from tercet.executors.llm import LlmExecutor
from tercet.executors.registry import run_guarded
from tercet.store import statements as sql
from tercet.store.agents import begun_steps
from tercet.tools.guard import Guard, ToolCall, ToolOutcome, refused

_LONGEST_TITLE = 200


@dataclass(kw_only=True)
class EngineSteps:
    """RunSteps over a task of the engine. `round` sets the step names of a new try after a failed answer apart."""

    context: TaskContext
    llm: LlmExecutor
    feed: RunFeed
    audit: AuditBook
    resolve_model: Callable[[str], str]
    round: int = 0
    _begun: set[str] | None = field(default=None)

    def _name(self, step: str) -> str:
        return step if self.round == 0 else f"r{self.round}:{step}"

    async def model_turn(
        self, step: str, request: ExecutorRequest, *, fallback_models: list[str]
    ) -> ExecutorResult:
        """See RunSteps. The engine reserves before the call and settles with the recorded turn."""
        context = self.context
        recorded = context.claim_step(self._name(step))
        if recorded is not None:
            return ExecutorResult.model_validate_json(recorded)
        context.check_may_continue()
        if fallback_models:
            models = [str(request.task.field("model")), *fallback_models]
            constraints = request.constraints.model_copy(update={"allowed_models": models})
            request = request.model_copy(update={"constraints": constraints})
        try:
            result: ExecutorResult = await context.engine.calls.run(
                context, request, self._name(step), run_executor=self._ask, wait=self._watched
            )
        except (ExecutorFailed, ExecutorRefused) as error:
            if error.error_type == ErrorCode.CONTEXT_LENGTH_EXCEEDED:
                raise ContextLengthExceededError(str(error)) from error
            raise
        return result

    async def _ask(self, request: ExecutorRequest) -> ExecutorResult:
        on_text = None
        if self.feed.is_watched(self.context.execution_id):
            on_text = self._tell_text
        return await run_guarded(partial(self.llm.run, on_text=on_text), request)

    def _tell_text(self, text: str) -> None:
        self.report("task.progress", {"text": text})

    async def tool_call(self, step: str, call: ToolCall, guard: Guard, *, agent: str) -> ToolOutcome:
        """See RunSteps. A call with side effects is announced before it is made: a crash in between is told, not repeated."""
        context, name, tool = self.context, self._name(step), guard.tools[call.name]
        recorded = context.claim_step(name)
        if recorded is not None:
            return ToolOutcome.from_wire(from_json(recorded), fatal=tool.fatal)
        context.check_may_continue()
        if tool.changes_world(call.arguments) and not tool.idempotent:
            if context.attempt > 1 and name in await self._begun_steps():
                unknown = refused(
                    call, "OUTCOME_UNKNOWN",
                    "the process ended during this call: it may or may not have happened; check before you repeat it",
                )  # fmt: skip
                return await self._record(name, unknown, call, guard, agent)
            change = context.change()
            change.begin_step(context.task, name)
            await context.engine.submit(change)
        started_at_ms = context.engine.clock.now_ms()
        outcome = await guard.run(call, idempotency_key=f"{context.task_id}:{name}")
        return await self._record(name, outcome, call, guard, agent, started_at_ms=started_at_ms)

    async def refuse(
        self, step: str, outcome: ToolOutcome, call: ToolCall, guard: Guard, *, agent: str
    ) -> ToolOutcome:
        """See RunSteps."""
        recorded = self.context.claim_step(self._name(step))
        if recorded is not None:
            return ToolOutcome.from_wire(from_json(recorded))
        self.context.check_may_continue()
        return await self._record(self._name(step), outcome, call, guard, agent)

    async def approve(self, step: str, call: ToolCall, *, agent: str) -> dict[str, Any]:
        """See RunSteps. The task leaves memory until somebody decides; the item shows the exact arguments."""
        title = f"{agent} wants to call {call.name}"[:_LONGEST_TITLE]
        return await self.context.approval(
            title, {"tool": call.name, "arguments": call.arguments}, step=self._name(step)
        )

    async def remember(self, step: str, compute: Callable[[], Awaitable[Any]]) -> Any:
        """See RunSteps."""
        return await self.context.step(self._name(step), compute)

    async def count_tokens(self, request: ExecutorRequest) -> int | None:
        """See RunSteps."""
        return await self.llm.count_tokens(self._resolved(request))

    async def context_window(self, request: ExecutorRequest) -> int | None:
        """See RunSteps."""
        return await self.llm.context_window(self._resolved(request))

    def report(self, kind: str, data: dict[str, Any]) -> None:
        """See RunSteps."""
        self.feed.tell(self.context.execution_id, kind, data)

    def _resolved(self, request: ExecutorRequest) -> ExecutorRequest:
        task = request.task.model_copy()
        assert task.model_extra is not None
        task.model_extra["model"] = self.resolve_model(str(task.field("model")))
        return request.model_copy(update={"task": task})

    @property
    def _watched(self) -> bool:
        """Who watches is told only what is committed."""
        return self.feed.is_watched(self.context.execution_id)

    def _forget_lost_chain(self, commit: asyncio.Future[None]) -> None:
        if commit.cancelled() or commit.exception() is not None:
            self.audit.forget(self.context.execution_id)

    async def _begun_steps(self) -> set[str]:
        if self._begun is None:
            self._begun = await self.context.engine.reader.read(begun_steps, self.context.task_id)
        return self._begun

    async def _record(
        self,
        name: str,
        outcome: ToolOutcome,
        call: ToolCall,
        guard: Guard,
        agent: str,
        *,
        started_at_ms: int | None = None,
    ) -> ToolOutcome:
        context = self.context
        chain = await self.audit.chain(
            context.execution_id, may_exist=context.attempt > 1 or len(context.state.tasks) > 1
        )
        text = to_json(outcome.to_wire())
        change = context.change()
        tool = guard.tools.get(call.name)
        entry = chain.append(
            {
                "agent": agent, "tool": call.name[:200], "version": tool.version if tool is not None else "",
                "call_id": call.id[:200], "outcome": outcome.outcome, "code": outcome.code, "flags": list(outcome.flags),
                "duration_ms": outcome.duration_ms, "user_id": guard.context.user_id, "at_ms": change.now_ms,
            },
            call.arguments,
        )  # fmt: skip
        row = {
            **entry, "execution_id": context.execution_id, "owner_id": context.state.owner_id,
            "task_id": context.task_id, "subtask_id": name, "flags": to_json(entry["flags"]),
        }  # fmt: skip
        change.unit.add(sql.INSERT_TOOL_AUDIT, tuple(row[column] for column in sql.INSERT_TOOL_AUDIT.columns))
        change.record_step(
            context.task, name, text, started_at_ms=change.now_ms if started_at_ms is None else started_at_ms
        )
        context.memo[name] = text
        commit = context.engine.submit(change)
        commit.add_done_callback(self._forget_lost_chain)
        # What the world has seen has to be known before anything follows from it; the rest can be done again.
        changed = tool is not None and isinstance(call.arguments, dict) and tool.changes_world(call.arguments)
        await settled(commit, wait=self._watched or changed)
        return ToolOutcome.from_wire(from_json(text), fatal=outcome.fatal)
