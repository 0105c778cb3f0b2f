"""What every executor promises (spec 1 §5): stateless, single-shot, never raises, verifiable usage.

Use it from a test: `await check_executor(MyExecutor(), [request, …])` raises AssertionError with the broken promise.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.contract import Executor, ExecutorRequest, ExecutorResult

HOSTILE_TASKS: tuple[dict[str, Any], ...] = (
    {},
    {"prompt": ""},
    {"prompt": "\x00\ud7ff\U0010ffff"},
    {"prompt": "x" * 1_000_000},
    {"template": None, "templates": [], "labels": "x", "rules": 5, "tool": {}, "arguments": None},
    {"template": "{{", "input_variables": {"self": 1, "": None}},
    {"output_schema": {"type": "nonsense"}, "prompt": "x"},
    {"model": 5, "prompt": "x"},
    {"filename": "../../etc/passwd", "content_base64": "AAAA"},
    {"filename": 5, "mime_type": [], "text": {}},
)
"""Tasks that no executor can do anything with; each has to answer with a failure, or do it."""


async def check_executor(executor: Executor, valid_requests: Sequence[ExecutorRequest]) -> None:
    """Check every promise. `valid_requests` must succeed when run."""
    assert isinstance(executor.executor_type, str), "executor_type is a text"
    assert executor.executor_type, "executor_type is not empty"
    for request in valid_requests:
        await _check_valid(executor, request)
    for task in HOSTILE_TASKS:
        await _check_hostile(executor, task)


async def _check_valid(executor: Executor, request: ExecutorRequest) -> None:
    before = copy.deepcopy(request)
    first = await executor.run(request)
    assert first.status == "success", f"a valid request succeeds, this one: {first.error}"
    assert request == before, "a request is not changed"
    check_result(first)
    again, beside = await asyncio.gather(executor.run(request), executor.run(request))
    for other in (again, beside):
        assert other.status == first.status, "the same request has the same outcome, also side by side"
        assert other.result == first.result, "the same request has the same result, also side by side"


async def _check_hostile(executor: Executor, task: dict[str, Any]) -> None:
    try:
        request = ExecutorRequest.model_validate(
            {"task_id": "hostile", "executor_type": executor.executor_type, "task": task}
        )
    except ValueError:
        return  # the contract's types refuse it before any executor sees it
    try:
        result = await executor.run(request)
    except Exception as error:
        raise AssertionError(
            f"an executor never raises; {task!r:.80} raised {type(error).__name__}: {error}"
        ) from error
    check_result(result)


def check_result(result: ExecutorResult) -> None:
    """Check a result on its own: JSON, sums, an error exactly when it failed."""
    wire = result.to_wire()
    assert from_json(to_json(wire)) == wire, "a result is JSON"
    if result.status == "failed":
        assert result.error is not None, "a failure says why"
        assert result.error.code, "an error has a code"
        assert "Traceback" not in result.error.message, "an error shows no internals"
    else:
        assert result.result is not None, "a success has a result"
    if result.usage is not None:
        usage = result.usage
        assert usage.total_tokens == usage.tokens_input + usage.tokens_output, "tokens add up"
        assert usage.estimated_cost >= 0, "a cost is not negative"
