"""The one registry of executors, and the guard around every call: unknown type, timeout, exception."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.metadata import entry_points
from typing import Any

import structlog

from tercet.domain.codec import to_json
from tercet.domain.contract import ErrorCode, Executor, ExecutorRequest, ExecutorResult
from tercet.domain.errors import InvalidSettings

_log = structlog.get_logger(__name__)
ENTRY_POINT_GROUP = "tercet.executors"


class ExecutorRegistry:
    """Executors by type."""

    def __init__(self) -> None:
        self._executors: dict[str, Executor] = {}

    def register(self, executor: Executor) -> None:
        """Add an executor. Raises ValueError when its type is taken."""
        if executor.executor_type in self._executors:
            raise ValueError(f"the executor type {executor.executor_type!r} is registered already")
        self._executors[executor.executor_type] = executor

    def discover(self) -> None:
        """Register what installed packages offer: each entry point is a function that returns an executor.

        Raises InvalidSettings that names the entry point when it cannot be loaded or its type is taken.
        """
        for entry in entry_points(group=ENTRY_POINT_GROUP):
            try:
                self.register(entry.load()())
            except Exception as error:
                raise InvalidSettings(
                    f"the executor {entry.name!r} of {entry.value!r} cannot be loaded: {error}",
                    hint="repair or uninstall the package that offers it",
                ) from error

    @property
    def types(self) -> frozenset[str]:
        """The registered types."""
        return frozenset(self._executors)

    def get(self, executor_type: str) -> Executor | None:
        """Return an executor, or None."""
        return self._executors.get(executor_type)

    async def aclose(self) -> None:
        """Close the executors that hold connections."""
        for executor in self._executors.values():
            close = getattr(executor, "aclose", None)
            if close is not None:
                await close()

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Run the request once. Never raises, except for cancellation."""
        executor = self._executors.get(request.executor_type)
        if executor is None:
            return ExecutorResult.failure(
                ErrorCode.EXECUTOR_NOT_FOUND,
                f"There is no executor {request.executor_type!r}; registered: {', '.join(sorted(self._executors))}",
            )
        return await run_guarded(executor.run, request)


async def run_guarded(
    run: Callable[[ExecutorRequest], Awaitable[ExecutorResult]], request: ExecutorRequest
) -> ExecutorResult:
    """Run a request under its time limit. Never raises, except for cancellation."""
    timeout_ms = request.constraints.timeout_ms
    timeout = asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000)
    try:
        async with timeout:
            result = await run(request)
        return _checked(result)
    except TimeoutError:
        if timeout.expired() and timeout_ms is not None:
            return ExecutorResult.failure(
                ErrorCode.MODEL_TIMEOUT, f"Execution exceeded {timeout_ms / 1000:g}s"
            )
        return ExecutorResult.failure(ErrorCode.EXECUTOR_ERROR, "The executor gave up waiting")
    except Exception:
        _log.exception("executor.raised", executor_type=request.executor_type, task_id=request.task_id)
        return ExecutorResult.failure(ErrorCode.EXECUTOR_ERROR, "The executor failed; see the server's log")


def _checked(result: Any) -> ExecutorResult:
    """Return the result if it keeps the contract's form. Raises TypeError, ValueError for what cannot be stored."""
    if not isinstance(result, ExecutorResult):
        raise TypeError(f"an executor returned {type(result).__name__}, not an ExecutorResult")
    if result.result is not None:
        to_json(result.result)
    return result
