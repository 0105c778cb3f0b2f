"""`tool_call`: a named tool with arguments. Task fields: `tool`, `arguments`. Result: {tool, output}."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.schema_check import schema_violation
from tercet.domain.tool import Tool, ToolFailed

ENTRY_POINT_GROUP = "tercet.tools"


class ToolCallExecutor:
    """Calls one tool once. The request's task_id goes along as the idempotency key."""

    executor_type = "tool_call"

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools by name."""
        return dict(self._tools)

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Call the tool; see the contract."""
        name, arguments = (
            request.task.field("tool"),
            request.task.field("arguments", request.task.input_variables),
        )
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return ExecutorResult.failure(
                ErrorCode.TOOL_NOT_FOUND, f"There is no tool {str(name)[:100]!r}; known: {known}"
            )
        if not isinstance(arguments, dict):
            return ExecutorResult.failure(ErrorCode.INVALID_INPUT, "`arguments` must be an object")
        violation = schema_violation(tool.input_schema, arguments)
        if violation is not None:
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, f"The arguments of {tool.name!r} are wrong at {violation}"
            )
        try:
            output: Any = await tool.call(
                arguments, idempotency_key=request.task.field("idempotency_key", request.task_id)
            )
        except ToolFailed as error:
            return ExecutorResult.failure(ErrorCode.TOOL_ERROR, str(error))
        return ExecutorResult(status="success", result={"tool": tool.name, "output": output})


def discover_tools() -> list[Tool]:
    """Return what installed packages offer under the entry-point group `tercet.tools`."""
    return [entry.load()() for entry in entry_points(group=ENTRY_POINT_GROUP)]
