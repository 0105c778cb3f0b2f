"""What the engine has to know of a manifest, a plan or a loop to run it: a port that each face implements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from tercet.domain.errors import NotFound
from tercet.domain.retry import RetryPolicy

if TYPE_CHECKING:
    from tercet.engine.changes import Change
    from tercet.engine.context import TaskContext


@dataclass(frozen=True, kw_only=True, slots=True)
class HandlerSpec:
    """How tasks of one handler are run."""

    name: str
    executor: str
    """agent, human or automated."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeout_seconds: float | None = None
    """The limit of one attempt; None means no limit."""
    priority: int = 100
    emits: frozenset[str] | None = None
    """Event names that the handler may emit; None means any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FanInSpec:
    """The rule of a fan-in handler."""

    primary: str
    wait_for: tuple[str, ...]
    timeout_seconds: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Triggered:
    """A handler that an event starts; `fan_in_key` is set when it has to wait for others first."""

    handler: str
    fan_in_key: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Emission:
    """An event that a completed task emits."""

    name: str
    data: dict[str, Any]
    delay_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetRule:
    """A limit in money or tokens. `name` narrows the scope `agent` to one handler."""

    scope: str
    """call, execution, agent, owner or day."""
    name: str | None = None
    limit_usd: Decimal | None = None
    limit_tokens: int | None = None
    on_limit: str = "stop"
    """stop, approve or fallback."""


class Definition(Protocol):
    """One pinned revision of what an execution runs."""

    name: str
    kind: str
    max_hops: int | None
    budgets: Sequence[BudgetRule]
    allow_unpriced: bool
    """Whether a model without a known price may run although a money limit is set."""

    def triggered_by(self, event: dict[str, Any]) -> Sequence[Triggered]:
        """Return the handlers that `event` ({name, data}) starts. Raises HandlerFailed when a filter cannot be judged."""
        ...

    def handler(self, name: str) -> HandlerSpec:
        """Return the handler's spec. Raises NotFound."""
        ...

    def fan_in(self, handler: str) -> FanInSpec:
        """Return the fan-in rule of a handler that has one."""
        ...

    def fan_in_needs(self, handler: str, primary: dict[str, Any]) -> int:
        """Return how many of each awaited event are needed, given the primary event."""
        ...

    def event_matches(self, condition: str, event: dict[str, Any]) -> bool:
        """Return whether the CEL `condition` holds for `event`."""
        ...

    def check_event(self, name: str, data: Any) -> None:
        """Raise InvalidInput when the data breaks the event's declared schema."""
        ...

    def follow_up(self, change: Change) -> None:
        """Add to a change what follows from it, before it is committed: tasks that wait for each other do."""
        ...

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Do the task's work; return its result (JSON-ready) and the events to emit."""
        ...


class TaskDefinition:
    """What definitions share whose executions are tasks alone: no fan-ins, no event schemas, nothing that follows."""

    def fan_in(self, handler: str) -> FanInSpec:
        """See `Definition.fan_in`."""
        raise NotFound(f"{handler!r} is no fan-in")

    def fan_in_needs(self, handler: str, primary: dict[str, Any]) -> int:
        """See `Definition.fan_in_needs`."""
        raise NotFound(f"{handler!r} is no fan-in")

    def event_matches(self, condition: str, event: dict[str, Any]) -> bool:
        """See `Definition.event_matches`."""
        return False

    def check_event(self, name: str, data: Any) -> None:
        """See `Definition.check_event`."""

    def follow_up(self, change: Change) -> None:
        """See `Definition.follow_up`."""
