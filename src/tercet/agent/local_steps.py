"""A run's steps in a process on its own: nothing is stored, limits and audit live in memory."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from tercet.agent.budget_rules import budget_rules
from tercet.agent.config import AgentConfig
from tercet.agent.ports import Report
from tercet.domain.codec import to_json
from tercet.domain.contract import FALLS_BACK, ErrorCode, ExecutorError, ExecutorRequest, ExecutorResult
from tercet.domain.errors import (
    AgentFailed,
    ContextLengthExceededError,
    CostLimitExceededError,
    RateLimitExceededError,
    TercetError,
)
from tercet.domain.prices import Overrides, estimate_tokens, estimate_usd, to_pico
from tercet.domain.retry import RetryPolicy, backoff_seconds
from tercet.engine.budgets import BudgetBook, Spender
from tercet.executors.llm import LlmExecutor
from tercet.executors.registry import run_guarded
from tercet.tools.audit import AuditChain
from tercet.tools.guard import Guard, ToolCall, ToolOutcome

Approve = Callable[[ToolCall], Awaitable[bool] | bool]
_MOST_ENTRIES = 10_000


async def _nothing_spent(**_scope: Any) -> tuple[int, int]:
    return 0, 0


@dataclass(kw_only=True)
class LocalLedger:
    """What the executors of a process have spent; they may share one."""

    book: BudgetBook = field(default_factory=lambda: BudgetBook(_nothing_spent))
    entries: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_MOST_ENTRIES))


@dataclass(kw_only=True)
class LocalSteps:
    """RunSteps without a store."""

    config: AgentConfig
    llm: LlmExecutor
    ledger: LocalLedger
    spender: Spender
    audit: AuditChain
    report_to: Report | None = None
    approver: Approve | None = None
    resolve_model: Callable[[str], str] = str
    overrides: Overrides | None = None
    random: Callable[[], float] = lambda: 0.5
    stream: bool = False

    async def model_turn(
        self, step: str, request: ExecutorRequest, *, fallback_models: list[str]
    ) -> ExecutorResult:
        """See RunSteps. Here the run is its own orchestrator: it waits and tries again, as the provider asks."""
        models = [self.resolve_model(str(request.task.field("model")))]
        models += [self.resolve_model(model) for model in fallback_models]
        policy = RetryPolicy(max_attempts=self.config.limits.max_retries + 1)
        attempt = 0
        while True:
            attempt += 1
            error = ExecutorError(code=ErrorCode.EXECUTOR_ERROR, message="no model was asked")
            for model in models:
                result = await self._ask(request, model)
                if result.status != "failed":
                    return result
                error = result.error or error
                if error.code not in FALLS_BACK:
                    break
            delay = None
            if error.retryable:
                delay = backoff_seconds(
                    policy,
                    attempt=attempt,
                    random=self.random(),
                    retry_after_seconds=error.retry_after_seconds,
                )
            if delay is None:
                raise to_error(error)
            await asyncio.sleep(delay)

    async def _ask(self, request: ExecutorRequest, model: str) -> ExecutorResult:
        task = request.task.model_copy()
        assert task.model_extra is not None
        task.model_extra["model"] = model
        request = request.model_copy(update={"task": task})
        max_tokens = request.constraints.max_tokens or self.config.limits.max_tokens
        tokens_input = estimate_tokens(to_json(task))
        estimate = estimate_usd(
            model, tokens_input=tokens_input, max_tokens=max_tokens, overrides=self.overrides
        )
        rules = budget_rules(self.config.limits)
        book = self.ledger.book
        await book.learn(self.spender, rules)
        refusal = book.refusal(
            self.spender, rules, estimate_usd=estimate, tokens=tokens_input + max_tokens,
            allow_unpriced=self.config.limits.allow_unpriced,
        )  # fmt: skip
        if refusal is not None:
            raise CostLimitExceededError(refusal.message, hint="raise the limit in the agent's limits")
        reserved = (to_pico(estimate or Decimal(0)), tokens_input + max_tokens)
        book.add(self.spender, rules, pico=reserved[0], tokens=reserved[1])
        spent = (0, 0)
        try:
            on_text = self._tell_text if self.stream else None
            result = await run_guarded(partial(self.llm.run, on_text=on_text), request)
            usage = result.usage
            if usage is not None:
                spent = (to_pico(usage.estimated_cost), usage.tokens_input + usage.tokens_output)
        finally:
            book.add(self.spender, rules, pico=spent[0] - reserved[0], tokens=spent[1] - reserved[1])
        self._enter(model, result)
        return result

    def _enter(self, model: str, result: ExecutorResult) -> None:
        usage = result.usage
        self.ledger.entries.append(
            {
                "at": datetime.now(UTC).isoformat(), "agent": self.spender.agent, "run": self.spender.execution_id,
                "model": result.model_used or model, "status": result.status,
                "tokens_input": usage.tokens_input if usage else 0, "tokens_output": usage.tokens_output if usage else 0,
                "cache_read_tokens": usage.cache_read_tokens if usage else 0,
                "cost_usd": float(usage.estimated_cost) if usage else 0.0, "unpriced": bool(usage and usage.unpriced),
            }
        )  # fmt: skip

    def _tell_text(self, text: str) -> None:
        self.report("task.progress", {"text": text})

    async def tool_call(self, step: str, call: ToolCall, guard: Guard, *, agent: str) -> ToolOutcome:
        """See RunSteps."""
        outcome = await guard.run(call, idempotency_key=f"{self.spender.execution_id}:{step}")
        return await self.refuse(step, outcome, call, guard, agent=agent)

    async def refuse(
        self, step: str, outcome: ToolOutcome, call: ToolCall, guard: Guard, *, agent: str
    ) -> ToolOutcome:
        """See RunSteps."""
        tool = guard.tools.get(call.name)
        entry = {
            "agent": agent, "tool": call.name, "version": tool.version if tool is not None else "", "call_id": call.id,
            "outcome": outcome.outcome, "code": outcome.code, "flags": list(outcome.flags),
            "duration_ms": outcome.duration_ms, "user_id": guard.context.user_id, "at_ms": int(time.time() * 1000),
        }  # fmt: skip
        self.audit.append(entry, call.arguments)
        return outcome

    async def approve(self, step: str, call: ToolCall, *, agent: str) -> dict[str, Any]:
        """See RunSteps. Without an approver nobody can say yes."""
        if self.approver is None:
            return {
                "decision": "reject",
                "feedback": "the call needs an approval, and nobody is there to give it",
            }
        answer = self.approver(call)
        if not isinstance(answer, bool):
            answer = await answer
        return {"decision": "approve" if answer else "reject"}

    async def remember(self, step: str, compute: Callable[[], Awaitable[Any]]) -> Any:
        """See RunSteps."""
        return await compute()

    async def count_tokens(self, request: ExecutorRequest) -> int | None:
        """See RunSteps."""
        return await self.llm.count_tokens(request)

    async def context_window(self, request: ExecutorRequest) -> int | None:
        """See RunSteps."""
        return await self.llm.context_window(request)

    def report(self, kind: str, data: dict[str, Any]) -> None:
        """See RunSteps."""
        if self.report_to is not None:
            self.report_to(kind, data)


def to_error(error: ExecutorError) -> TercetError:
    """Return the exception of spec 3 for a failed model call."""
    return error_of(str(error.code), error.message)


def error_of(code: str, message: str) -> TercetError:
    """Return the exception of spec 3 for a code that a run ended with."""
    if code == ErrorCode.CONTEXT_LENGTH_EXCEEDED:
        return ContextLengthExceededError(message)
    if code == ErrorCode.MODEL_RATE_LIMITED:
        return RateLimitExceededError(message, hint="wait, or name fallback_models")
    if code in (ErrorCode.COST_LIMIT_EXCEEDED, "COST_LIMIT_REACHED"):
        return CostLimitExceededError(message)
    return AgentFailed(message, code=code)
