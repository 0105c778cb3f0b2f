"""A manifest's revision as the engine runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tercet.agent.task import AgentServices
from tercet.domain.errors import HandlerFailed, InvalidInput, NotFound
from tercet.domain.retry import RetryPolicy
from tercet.domain.schema_check import schema_violation
from tercet.engine.changes import Change
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, FanInSpec, HandlerSpec, Triggered
from tercet.flows.agent_step import run_agent
from tercet.flows.function_step import run_function
from tercet.flows.handlers import HandlerTable
from tercet.flows.human_step import run_human
from tercet.manifest.condition import Expression, compile_expression
from tercet.manifest.event_graph import emitted_events
from tercet.manifest.handlers import HandlerConfig, Trigger
from tercet.manifest.humans import HumanStep
from tercet.manifest.revision import Revision
from tercet.manifest.schema import Agent, FanIn, Function

_DEFAULT_RETRIES = 3
_DEFAULT_TIMEOUT_SECONDS = 30.0
_CRON_EVENT_SUFFIX = ".due"
_HOOK_EVENT_SUFFIX = ".received"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Start:
    handler: str
    condition: Expression | None = None
    fan_in_key: Expression | None = None


class FlowDefinition:
    """Answers the engine's questions about one pinned revision, and runs its handlers."""

    kind = "manifest"

    def __init__(self, revision: Revision, handlers: HandlerTable, agents: AgentServices) -> None:
        self._agents = agents
        self.revision = revision
        manifest = revision.manifest
        self.name = manifest.name
        self.max_hops = manifest.config.max_hops
        self.allow_unpriced = manifest.config.allow_unpriced
        self.budgets: Sequence[BudgetRule] = [
            BudgetRule(
                scope=budget.scope,
                name=budget.name,
                limit_usd=None if budget.limit_usd is None else Decimal(str(budget.limit_usd)),
                limit_tokens=budget.limit_tokens,
                on_limit=budget.on_limit,
            )
            for budget in manifest.config.budgets
        ] + [
            BudgetRule(scope="call", name=agent.name, limit_usd=Decimal(str(agent.limits.max_cost_usd)))
            for agent in manifest.agents
            if agent.limits.max_cost_usd is not None
        ]
        self.blocks: dict[str, Agent | Function | HumanStep] = {}
        self._specs: dict[str, HandlerSpec] = {}
        self._starts: dict[str, list[_Start]] = {}
        self._schemas = {
            event.name: event.data_schema for event in manifest.events if event.data_schema is not None
        }
        self.declared_events = frozenset(event.name for event in manifest.events)
        self._handlers = handlers
        self._read(manifest.config.defaults)

    def _read(self, defaults: HandlerConfig) -> None:
        manifest = self.revision.manifest
        for agent in manifest.agents:
            retry = RetryPolicy(max_attempts=agent.limits.max_retries + 1)
            self._add(
                agent,
                "agent",
                retry,
                agent.limits.timeout_seconds,
                frozenset(emit.event for emit in agent.emits),
            )
            for trigger in agent.triggers:
                self._start(trigger.event, agent.name, trigger)
        for step in manifest.humans:
            self._add(step, "human", RetryPolicy(), None, None)
            self._start(step.trigger.event, step.name, step.trigger)
        for function in manifest.functions:
            retry, timeout_seconds = _policy(function.config, defaults)
            events = frozenset(event for event, _ in emitted_events(function))
            self._add(function, "automated", retry, timeout_seconds, events)
            self._start_function(function)

    def _add(
        self,
        block: Agent | Function | HumanStep,
        executor: str,
        retry: RetryPolicy,
        timeout_seconds: float | None,
        emits: frozenset[str] | None,
    ) -> None:
        self.blocks[block.name] = block
        self._specs[block.name] = HandlerSpec(
            name=block.name, executor=executor, retry=retry, timeout_seconds=timeout_seconds, priority=block.priority,
            emits=emits,
        )  # fmt: skip

    def _start(self, event: str, handler: str, trigger: Trigger) -> None:
        condition = None if trigger.condition is None else compile_expression(trigger.condition)
        self._starts.setdefault(event, []).append(_Start(handler=handler, condition=condition))

    def _start_function(self, function: Function) -> None:
        trigger = function.trigger
        if isinstance(trigger, FanIn):
            key = compile_expression(trigger.correlation_key)
            for event in (trigger.primary, *trigger.wait_for):
                self._starts.setdefault(event, []).append(_Start(handler=function.name, fan_in_key=key))
        elif isinstance(trigger, Trigger):
            self._start(trigger.event, function.name, trigger)
        else:
            for suffix in (_CRON_EVENT_SUFFIX, _HOOK_EVENT_SUFFIX):
                self._starts.setdefault(function.name + suffix, []).append(_Start(handler=function.name))

    @staticmethod
    def cron_event(function: str) -> str:
        """Return the name of the root event of a cron function."""
        return function + _CRON_EVENT_SUFFIX

    @staticmethod
    def hook_event(function: str) -> str:
        """Return the name of the root event of a webhook function."""
        return function + _HOOK_EVENT_SUFFIX

    def triggered_by(self, event: dict[str, Any]) -> list[Triggered]:
        """See `Definition.triggered_by`."""
        starts = self._starts.get(event["name"])
        if starts is None:
            return []
        out = []
        for start in starts:
            if start.condition is not None and not start.condition.holds(event):
                continue
            key = None if start.fan_in_key is None else start.fan_in_key.key(event)
            out.append(Triggered(handler=start.handler, fan_in_key=key))
        return out

    def handles(self, event: str) -> bool:
        """Return whether the event starts anything here."""
        return event in self._starts

    def handler(self, name: str) -> HandlerSpec:
        """See `Definition.handler`."""
        spec = self._specs.get(name)
        if spec is None:
            raise NotFound(f"the manifest {self.name!r} has no handler {name!r}")
        return spec

    def fan_in(self, handler: str) -> FanInSpec:
        """See `Definition.fan_in`."""
        trigger = self._fan_in(handler)
        return FanInSpec(
            primary=trigger.primary, wait_for=tuple(trigger.wait_for), timeout_seconds=trigger.timeout_seconds
        )

    def fan_in_needs(self, handler: str, primary: dict[str, Any]) -> int:
        """See `Definition.fan_in_needs`."""
        count = self._fan_in(handler).count
        if isinstance(count, int):
            return count
        value = compile_expression(count).evaluate(primary)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0 or value != int(value):
            raise HandlerFailed(
                f"the fan-in {handler!r} needs {value!r} events", hint="count must give a whole number"
            )
        return int(value)

    def _fan_in(self, handler: str) -> FanIn:
        block = self.blocks[handler]
        if not isinstance(block, Function) or not isinstance(block.trigger, FanIn):
            raise NotFound(f"{handler!r} is no fan-in")
        return block.trigger

    def event_matches(self, condition: str, event: dict[str, Any]) -> bool:
        """See `Definition.event_matches`."""
        return compile_expression(condition).holds(event)

    def check_event(self, name: str, data: Any) -> None:
        """See `Definition.check_event`."""
        schema = self._schemas.get(name)
        if schema is None:
            return
        violation = schema_violation(schema, data)
        if violation is not None:
            place, _, rule = violation.partition(": ")
            field = "data" + place.rstrip("/")
            raise InvalidInput(
                f"the data of {name!r} breaks its schema at {field}: {rule}",
                hint=f"see the schema of {name!r} in the manifest",
                detail=[{"field": field, "rule": rule, "hint": f"the schema of {name!r}"}],
            )

    def follow_up(self, change: Change) -> None:
        """See `Definition.follow_up`: in a manifest all that follows is an event."""

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """See `Definition.run`."""
        block = self.blocks[context.task.handler]
        if isinstance(block, Agent):
            return await run_agent(context, block, self.revision, self._agents)
        if isinstance(block, Function):
            return await run_function(context, block, self._handlers, self.revision.manifest.config.variables)
        return await run_human(context, block)


def _policy(config: HandlerConfig, defaults: HandlerConfig) -> tuple[RetryPolicy, float]:
    chosen = config if config.retries is not None else defaults
    retries = chosen.retries if chosen.retries is not None else _DEFAULT_RETRIES
    retry = RetryPolicy(
        max_attempts=retries + 1,
        backoff=chosen.backoff,
        backoff_seconds=chosen.backoff_seconds,
        max_backoff_seconds=chosen.max_backoff_seconds,
    )
    timeout_seconds = config.timeout_seconds or defaults.timeout_seconds or _DEFAULT_TIMEOUT_SECONDS
    return retry, timeout_seconds
