"""What the engine needs of the layers above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tercet.engine.context import TaskContext


class ExecutorCalls(Protocol):
    """Runs executors for tasks: budget, call, ledger."""

    async def run(
        self, context: TaskContext, request: Any, step: str, *, run_executor: Any = None, wait: bool = True
    ) -> Any: ...


class ApprovalRequests(Protocol):
    """Opens approvals for tasks; blocks the task in the same commit."""

    async def __call__(
        self, context: TaskContext, step: str, *, title: str, data: dict[str, Any], spec: dict[str, Any]
    ) -> None: ...
