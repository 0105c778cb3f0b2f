"""A loop as the engine runs it: one task whose turns are recorded one by one, so that a crash repeats none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tercet.agent.feed import RunFeed
from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import NotFound
from tercet.domain.retry import RetryPolicy
from tercet.engine.calls import settled
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, HandlerSpec, TaskDefinition, Triggered
from tercet.loop.agent_turns import AgentTurns
from tercet.loop.config import LoopConfig
from tercet.loop.nodes import NODES, Update, advance
from tercet.loop.ports import Role, TurnModel
from tercet.loop.routing import END
from tercet.loop.standing import Standing, beginning
from tercet.loop.state import ExecutorOutput, PlanStep
from tercet.loop.step_executors import StepExecutors, StepTurn
from tercet.manifest.condition import compile_expression

LOOP_EVENT = "loop.run"
HANDLER = "loop"
KEY_PREFIX = "lop_"
TURN_FEED = "loop.turn"
_SPEC = HandlerSpec(
    name=HANDLER, executor="agent", retry=RetryPolicy(max_attempts=6), timeout_seconds=None, emits=None
)


@dataclass(frozen=True, kw_only=True)
class LoopServices:
    """What a node gives its loops."""

    turns: AgentTurns
    executors: StepExecutors


def definition_key(config: LoopConfig) -> str:
    """Return the key of the definition: what the engine has to know of a loop before it runs are its limits."""
    usd = "-" if config.budget_usd is None else f"{config.budget_usd.normalize():f}"
    tokens = "-" if config.budget_tokens is None else str(config.budget_tokens)
    return f"{KEY_PREFIX}{usd}:{tokens}:{config.on_limit}:{'u' if config.allow_unpriced else '-'}"


class LoopDefinition(TaskDefinition):
    """See `engine.Definition`. All loops with the same limits share one; the rest stands in the root event."""

    kind = "loop"
    name = "loop"
    max_hops: int | None = None

    def __init__(self, key: str, services: LoopServices) -> None:
        """Read the limits from the key. Raises NotFound for a key that is none."""
        parts = key.removeprefix(KEY_PREFIX).split(":")
        if len(parts) != 4:
            raise NotFound(f"there is no loop {key!r}")
        usd, tokens, on_limit, unpriced = parts
        self.budgets: Sequence[BudgetRule] = []
        if (usd, tokens) != ("-", "-"):
            self.budgets = [
                BudgetRule(
                    scope="execution", limit_usd=None if usd == "-" else Decimal(usd),
                    limit_tokens=None if tokens == "-" else int(tokens), on_limit=on_limit,
                )
            ]  # fmt: skip
        self.allow_unpriced = unpriced == "u"
        self._services = services

    def triggered_by(self, event: dict[str, Any]) -> list[Triggered]:
        """See `Definition.triggered_by`."""
        return [Triggered(handler=HANDLER)] if event["name"] == LOOP_EVENT else []

    def handler(self, name: str) -> HandlerSpec:
        """See `Definition.handler`."""
        if name != HANDLER:
            raise NotFound(f"a loop has no handler {name!r}")
        return _SPEC

    def event_matches(self, condition: str, event: dict[str, Any]) -> bool:
        """See `Definition.event_matches`."""
        return compile_expression(condition).holds(event)

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Drive the loop to its end; the result is the final state."""
        config = LoopConfig.model_validate(context.event["data"]["loop"])
        feed = self._services.turns.services.feed
        model = DurableModel(context, config, self._services)
        at = beginning(context.event["data"], context.state.created_at_ms)
        at = await drive_durably(context, model, at, feed=feed)
        while at.is_capped and config.on_cap == "ask":
            beyond = at.beyond_cap(await _ask_for_more(context, config, at), config.max_iters)
            if beyond is at:
                break
            at = await drive_durably(context, model, beyond, feed=feed)
        state = at.state
        feed.answer(context.execution_id, {"task_id": context.task_id, "output": state})
        return state, context.emissions


class DurableModel:
    """LoopModel over a task of the engine. `turn` is the name of the turn at hand."""

    def __init__(self, context: TaskContext, config: LoopConfig, services: LoopServices) -> None:
        self.turn = ""
        self._context = context
        self._config = config
        self._services = services

    async def ask(self, role: Role, prompt: str) -> str:
        """See LoopModel."""
        return await self._services.turns.ask(self._context, self._config, role, prompt, f"{self.turn}/")

    async def act(self, step: PlanStep, prompt: str) -> str | ExecutorOutput:
        """See LoopModel."""
        turn = StepTurn(
            context=self._context, config=self._config, step=step, target=step["executor"].partition(":")[2],
            prompt=prompt, prefix=f"{self.turn}/",
        )  # fmt: skip
        return await self._services.executors.run(turn)

    def now_ms(self) -> int:
        """See LoopModel."""
        return self._context.engine.clock.now_ms()


async def drive_durably(
    context: TaskContext, model: TurnModel, at: Standing, *, feed: RunFeed | None = None
) -> Standing:
    """Go on from what is recorded, then turn by turn; each turn's changes are one recorded step."""
    while at.node != END:
        if at.node == "advance":
            at = at.after(advance(at.state))
            continue
        name = at.next_turn
        recorded = context.claim_step(name)
        if recorded is None:
            update = await _turn(
                context, model, at, watched=feed is not None and feed.is_watched(context.execution_id)
            )
        else:
            update = from_json(recorded)
        at = at.after(update)
        if feed is not None and recorded is None:
            feed.tell(context.execution_id, TURN_FEED, {"turn": name, "state": at.state})
    return at


async def _ask_for_more(context: TaskContext, config: LoopConfig, at: Standing) -> dict[str, Any]:
    """Ask a person whether the loop may have as many turns again; a replan beyond the cap is theirs to allow."""
    state = at.state
    shown = {
        "goal": config.goal, "turns": state["iters"], "more_turns": config.max_iters, "attempts": state["attempts"],
        "plan": [step["step"] for step in state["plan"]],
    }  # fmt: skip
    title = f"The cap of {state['max_iters']} turns is reached; go on?"
    return await context.approval(title, shown, step=at.cap_step)


async def _turn(context: TaskContext, model: TurnModel, at: Standing, *, watched: bool) -> Update:
    """Make a turn and record it. Its commit is not awaited, unless somebody watches and must not hear too early:
    the next model call waits for a commit of its own, which is made durable after this one.
    """
    context.check_may_continue()
    started_at_ms = context.engine.clock.now_ms()
    model.turn = name = at.next_turn
    update = await NODES[at.node](at.state, model)
    text = to_json(update)
    change = context.change()
    change.record_step(context.task, name, text, started_at_ms=started_at_ms)
    context.memo[name] = text
    await settled(context.engine.submit(change), wait=watched)
    return update
