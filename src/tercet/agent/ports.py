"""What the loop needs of the place where it runs: a process on its own, or the engine with its durable steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from tercet.domain.contract import ExecutorRequest, ExecutorResult
from tercet.tools.guard import Guard, ToolCall, ToolOutcome

Report = Callable[[str, dict[str, Any]], None]
"""(kind, data): task.started, task.progress, task.tool_use, task.tool_result, task.completed, task.failed."""


class RunSteps(Protocol):
    """Steps have names that do not repeat in a run. Under the engine a step that is done is never done again."""

    async def model_turn(
        self, step: str, request: ExecutorRequest, *, fallback_models: list[str]
    ) -> ExecutorResult:
        """Ask the model once, within the budget. Raises ContextLengthExceededError and other TercetErrors."""
        ...

    async def tool_call(self, step: str, call: ToolCall, guard: Guard, *, agent: str) -> ToolOutcome:
        """Make an admitted call and record it; a refused one is recorded as it is."""
        ...

    async def refuse(
        self, step: str, outcome: ToolOutcome, call: ToolCall, guard: Guard, *, agent: str
    ) -> ToolOutcome:
        """Record a call that was not made."""
        ...

    async def approve(self, step: str, call: ToolCall, *, agent: str) -> dict[str, Any]:
        """Wait for a person; return {decision, feedback?, decided_by?}."""
        ...

    async def remember(self, step: str, compute: Callable[[], Awaitable[Any]]) -> Any:
        """Return the step's recorded value, or compute and record it."""
        ...

    async def count_tokens(self, request: ExecutorRequest) -> int | None:
        """Ask the provider for the size of a request; None when it cannot say."""
        ...

    async def context_window(self, request: ExecutorRequest) -> int | None:
        """Return how much the model can read, if that is known."""
        ...

    def report(self, kind: str, data: dict[str, Any]) -> None:
        """Tell those who watch."""
        ...
