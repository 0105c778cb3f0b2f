"""A chat as the engine runs it: one message starts one task, the turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.chat.failures import MOST_ATTEMPTS
from tercet.chat.services import ChatServices
from tercet.chat.turn import Turn
from tercet.domain.errors import NotFound
from tercet.domain.retry import RetryPolicy
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, HandlerSpec, TaskDefinition, Triggered

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


class ChatDefinition(TaskDefinition):
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

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Do the turn; its result names the answer."""
        return await Turn(context, self._services).run(), []
