"""A chat as the engine runs it: one message starts one task, the turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.chat.failures import MOST_ATTEMPTS
from tercet.chat.services import ChatServices
from tercet.chat.turn import Turn
from tercet.domain.errors import NotFound
from tercet.domain.retry import RetryPolicy
from tercet.engine.changes import Change
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, FanInSpec, HandlerSpec, Triggered

MESSAGE_EVENT = "chat.message"
REVISION_ID = "cht_1"
"""What executions of chats are pinned to; another number comes with steps that old executions cannot replay."""
_HANDLER = "chat"
_SPEC = HandlerSpec(
    name=_HANDLER, executor="agent", emits=frozenset(),
    retry=RetryPolicy(
        max_attempts=MOST_ATTEMPTS, backoff="exponential", backoff_seconds=0.5, max_backoff_seconds=20.0
    ),
)  # fmt: skip


class ChatDefinition:
    """See `engine.Definition`."""

    kind = "chat"
    name = "chat"
    max_hops: int | None = None
    allow_unpriced = False

    def __init__(self, services: ChatServices) -> None:
        self._services = services
        self.budgets: Sequence[BudgetRule] = (
            [BudgetRule(scope="execution", limit_usd=services.turn_usd, on_limit="approve")]
            if services.turn_usd is not None
            else []
        )

    def triggered_by(self, event: dict[str, Any]) -> list[Triggered]:
        """See `Definition.triggered_by`."""
        return [Triggered(handler=_HANDLER)] if event["name"] == MESSAGE_EVENT else []

    def handler(self, name: str) -> HandlerSpec:
        """See `Definition.handler`."""
        if name != _HANDLER:
            raise NotFound(f"a chat has no handler {name!r}")
        return _SPEC

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
        """See `Definition.follow_up`: a turn is one task."""

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Do the turn; its result names the answer."""
        return await Turn(context, self._services).run(), []
