"""Executor calls of tasks: budget before, ledger around, the result as a durable step (spec 1; DESIGN, budgets)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from tercet.domain.clock import to_datetime
from tercet.domain.codec import to_json
from tercet.domain.contract import FALLS_BACK, ErrorCode, ExecutorError, ExecutorRequest, ExecutorResult
from tercet.domain.errors import HandlerFailed, NonRetryable
from tercet.domain.prices import Overrides, estimate_tokens, estimate_usd, from_pico, to_pico, verify_usage
from tercet.engine.budgets import BudgetBook, Refusal, Spender
from tercet.engine.context import TaskContext
from tercet.engine.engine import Engine
from tercet.store import statements as sql
from tercet.store.ledger import open_reservations, spent
from tercet.store.unit import Unit

RunExecutor = Callable[[ExecutorRequest], Awaitable[ExecutorResult]]
_DEFAULT_MAX_TOKENS = 4_096


class ExecutorFailed(HandlerFailed):
    """The executor failed and another attempt may help."""

    code: ClassVar[str] = "EXECUTOR_FAILED"

    def __init__(self, error: ExecutorError) -> None:
        super().__init__(error.message)
        self.error_type = str(error.code)
        self.retry_after_seconds = error.retry_after_seconds


class ExecutorRefused(NonRetryable):
    """The executor failed and the same request will fail again."""

    code: ClassVar[str] = "EXECUTOR_REFUSED"

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reservation:
    ledger_id: str
    spender: Spender
    pico: int
    tokens: int


class ExecutorCalls:
    """Runs executors for tasks. Failed results are raised: retryable ones lead to another attempt."""

    def __init__(
        self,
        engine: Engine,
        run_executor: RunExecutor,
        *,
        resolve_model: Callable[[str], str],
        overrides: Overrides | None = None,
    ) -> None:
        self._engine = engine
        self._run_executor = run_executor
        self._resolve_model = resolve_model
        self._overrides = overrides
        self._book = BudgetBook(self._spent)

    async def run(
        self,
        context: TaskContext,
        request: ExecutorRequest,
        step: str,
        *,
        run_executor: RunExecutor | None = None,
        wait: bool = True,
    ) -> ExecutorResult:
        """Reserve, call once, settle; with `run_executor` in the place of the registry.

        Without `wait` the result's commit may come later: for callers whose next effect waits for a commit of
        its own, which the journal makes durable after this one. A model that cannot answer now is followed by
        the next of `allowed_models`. Raises ExecutorFailed, ExecutorRefused.
        """
        started_at_ms = self._engine.clock.now_ms()
        call = run_executor or self._run_executor
        asks_model = _asks_model(request)
        if asks_model and context.task.attempt > 1:
            await self._abandon_lost(context, step)
        while True:
            reservation: _Reservation | None = None
            sent = request
            if asks_model:
                sent, reservation = await self._reserve(context, request, step)
            result = await self._call(call, sent, reservation)
            change = context.change()
            if reservation is not None:
                self._settle(change.unit, context, reservation, result)
            elif result.usage is not None and result.usage.total_tokens:
                reservation = self._enter(context, sent, step, change.unit, pico=0, tokens=0)
                self._settle(change.unit, context, reservation, result)
            if result.status != "failed":
                text = to_json(result.to_wire())
                change.record_step(context.task, step, text, started_at_ms=started_at_ms)
                context.memo[step] = text
                await settled(self._engine.submit(change), wait=wait)
                return result
            error = result.error or ExecutorError(
                code=ErrorCode.EXECUTOR_ERROR, message="The executor failed"
            )
            change.log(
                "subtask_error", task_id=context.task_id, subtask_id=step, status="ERROR", error_type=str(error.code),
                error_message=error.message,
            )  # fmt: skip
            await self._engine.submit(change)
            request = self._next_model(request, sent, error)

    def _next_model(
        self, request: ExecutorRequest, sent: ExecutorRequest, error: ExecutorError
    ) -> ExecutorRequest:
        """Return the request for the next allowed model; raise the error when there is none, or none can help."""
        if error.code in FALLS_BACK and _asks_model(request):
            failed = self._resolve_model(str(sent.task.field("model")))
            left = [model for model in self._candidate_models(request) if model != failed]
            if left:
                return _with_model(request, left[0], left)
        raise ExecutorFailed(error) if error.retryable else ExecutorRefused(str(error.code), error.message)

    async def _reserve(
        self, context: TaskContext, request: ExecutorRequest, step: str
    ) -> tuple[ExecutorRequest, _Reservation]:
        rules = context.definition.budgets
        spender = self._spender(context)
        await self._book.learn(spender, rules)
        refusal: Refusal | None = None
        tokens_input = estimate_tokens(to_json(request.task) + to_json(request.execution_context))
        tokens = tokens_input + (request.constraints.max_tokens or _DEFAULT_MAX_TOKENS)
        for model in self._candidate_models(request):
            estimate = self._estimate(request, model, tokens_input)
            refused = self._book.refusal(
                spender,
                rules,
                estimate_usd=estimate,
                tokens=tokens,
                allow_unpriced=context.definition.allow_unpriced,
            )
            if refused is None:
                return await self._book_reservation(
                    context, _with_model(request, model), step, estimate, tokens
                )
            refusal = refusal or refused
            if refused.rule.on_limit != "fallback":
                break
        assert refusal is not None
        if refusal.rule.on_limit == "approve":
            model = self._candidate_models(request)[0]
            decision = await context.approval(
                f"Budget reached: {refusal.message}", {"step": step, "model": model, "reason": refusal.message},
                step=f"{step}:budget",
            )  # fmt: skip
            if decision.get("decision") == "approve":
                estimate = self._estimate(request, model, tokens_input)
                return await self._book_reservation(
                    context, _with_model(request, model), step, estimate, tokens
                )
        raise ExecutorRefused("COST_LIMIT_REACHED", refusal.message)

    async def _book_reservation(
        self, context: TaskContext, request: ExecutorRequest, step: str, estimate: Decimal | None, tokens: int
    ) -> tuple[ExecutorRequest, _Reservation]:
        change = context.change()
        pico = to_pico(estimate or Decimal(0))
        reservation = self._enter(context, request, step, change.unit, pico=pico, tokens=tokens)
        change.begin_step(context.task, step)
        context.state.has_spent = True
        # Counted before the commit: a second call of this process must not see the money as free.
        self._book.add(reservation.spender, context.definition.budgets, pico=pico, tokens=tokens)
        await self._engine.submit(change)
        return request, reservation

    def _enter(
        self, context: TaskContext, request: ExecutorRequest, step: str, unit: Unit, *, pico: int, tokens: int
    ) -> _Reservation:
        ledger_id = self._engine.mint.mint("led")
        spender = self._spender(context)
        now_ms = self._engine.clock.now_ms()
        unit.add(
            sql.INSERT_LEDGER,
            (
                ledger_id, spender.owner_id, spender.execution_id, context.task_id, step, spender.agent,
                request.executor_type, request.task.field("model"), "RESERVED", pico, tokens, 0, 0, 0, 0, 0, "[]",
                spender.day, now_ms, None,
            ),
        )  # fmt: skip
        return _Reservation(ledger_id=ledger_id, spender=spender, pico=pico, tokens=tokens)

    def _settle(
        self, unit: Unit, context: TaskContext, reservation: _Reservation, result: ExecutorResult
    ) -> None:
        verified = verify_usage(result, self._overrides)
        usage = result.usage
        cost_pico, flags, status = (to_pico(verified.cost_usd), list(verified.flags), "SETTLED")
        if usage is None:
            status = "RELEASED"
            if result.error is not None and result.error.code == ErrorCode.MODEL_TIMEOUT:
                # The provider may have worked and charged; nobody will ever tell.
                status, cost_pico, flags = ("SETTLED", reservation.pico, [*flags, "assumed_after_timeout"])
        tokens = (usage.tokens_input + usage.tokens_output) if usage is not None else 0
        unit.add(
            sql.SETTLE_LEDGER,
            (
                result.model_used, status, cost_pico,
                usage.tokens_input if usage else 0, usage.tokens_output if usage else 0,
                usage.cache_read_tokens if usage else 0, usage.cache_write_tokens if usage else 0,
                to_json(flags), self._engine.clock.now_ms(), reservation.ledger_id,
            ),
        )  # fmt: skip
        self._book.add(
            reservation.spender,
            context.definition.budgets,
            pico=cost_pico - reservation.pico,
            tokens=tokens - reservation.tokens,
        )

    async def _call(
        self, call: RunExecutor, sent: ExecutorRequest, reservation: _Reservation | None
    ) -> ExecutorResult:
        """Make the call. One that is cancelled books its reservation as spent: the provider may have charged it."""
        try:
            return await call(sent)
        except asyncio.CancelledError:
            if reservation is not None:
                self._abandon_cut_off(reservation, str(sent.task.field("model")))
            raise

    def _abandon_cut_off(self, reservation: _Reservation, model: str) -> None:
        # The attempt may have lost its task by now, so this is no change of the task.
        unit = Unit()
        unit.add(
            sql.SETTLE_LEDGER,
            (
                model, "ABANDONED", reservation.pico, 0, 0, 0, 0, to_json(["cut_off"]), self._engine.clock.now_ms(),
                reservation.ledger_id,
            ),
        )  # fmt: skip
        self._engine.journal.submit(unit).add_done_callback(_retrieved)

    async def _abandon_lost(self, context: TaskContext, step: str) -> None:
        """Book reservations of an attempt that died in its call as spent: the provider may have charged them."""
        rows = await self._engine.reader.read(open_reservations, context.task_id, step)
        if not rows:
            return
        change = context.change()
        for row in rows:
            change.unit.add(
                sql.SETTLE_LEDGER,
                (
                    row["model"], "ABANDONED", row["reserved_picousd"], 0, 0, 0, 0, to_json(["lost_with_its_attempt"]),
                    change.now_ms, row["id"],
                ),
            )  # fmt: skip
        change.log(
            "reservation_abandoned", task_id=context.task_id, subtask_id=step,
            message=f"${from_pico(sum(row['reserved_picousd'] for row in rows)):.4f} booked for a call whose end is not known",
        )  # fmt: skip
        await self._engine.submit(change)

    def _candidate_models(self, request: ExecutorRequest) -> list[str]:
        wanted = request.task.field("model")
        models = [wanted] if wanted else []
        models += [m for m in request.constraints.allowed_models if m not in models]
        return [self._resolve_model(model) for model in models or ["sonnet"]]

    def _estimate(self, request: ExecutorRequest, model: str, tokens_input: int) -> Decimal | None:
        return estimate_usd(
            model,
            tokens_input=tokens_input,
            max_tokens=request.constraints.max_tokens or _DEFAULT_MAX_TOKENS,
            overrides=self._overrides,
        )

    async def _spent(self, **scope: Any) -> tuple[int, int]:
        return await self._engine.reader.read(spent, **scope)

    def _spender(self, context: TaskContext) -> Spender:
        return Spender(
            owner_id=context.state.owner_id,
            execution_id=context.execution_id,
            agent=context.task.handler,
            day=to_datetime(self._engine.clock.now_ms()).date().isoformat(),
            fresh=not context.state.has_spent,
        )


async def settled(commit: asyncio.Future[None], *, wait: bool) -> None:
    """Wait for a commit, or leave it to the next one that is waited for: a lost commit loses that one too."""
    if wait:
        await commit
    else:
        commit.add_done_callback(_retrieved)


def _retrieved(commit: asyncio.Future[None]) -> None:
    if not commit.cancelled():
        commit.exception()


def _asks_model(request: ExecutorRequest) -> bool:
    if request.executor_type == "classifier":
        return bool(request.task.field("use_model", not request.task.field("rules")))
    return request.executor_type == "llm"


def _with_model(request: ExecutorRequest, model: str, allowed: list[str] | None = None) -> ExecutorRequest:
    task = request.task.model_copy()
    task.model_extra["model"] = model  # type: ignore[index]
    constraints = request.constraints.model_copy(update={"allowed_models": allowed or [model]})
    return request.model_copy(update={"task": task, "constraints": constraints})
