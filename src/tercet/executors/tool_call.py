"""`tool_call`: a named tool with arguments. Task fields: `tool`, `arguments`. Result: {tool, output}."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

import structlog

from tercet.domain.codec import from_json, to_json
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.errors import InvalidSettings
from tercet.domain.schema_check import schema_violation
from tercet.domain.tool import Tool, ToolFailed

_log = structlog.get_logger(__name__)
ENTRY_POINT_GROUP = "tercet.tools"


class ToolCallExecutor:
    """Calls one tool once. The request's task_id goes along as the idempotency key."""

    executor_type = "tool_call"

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        """Take the tools. Raises InvalidSettings for a name that is taken and for a schema that is none."""
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            _check_tool(tool, self._tools)
            self._tools[tool.name] = tool

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
        try:
            violation = schema_violation(tool.input_schema, arguments)
        except (TypeError, ValueError):
            violation = "/: a value has no JSON form"
        if violation is not None:
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, f"The arguments of {tool.name!r} are wrong at {violation}"
            )
        return await _call(tool, arguments, str(request.task.field("idempotency_key", request.task_id)))


async def _call(tool: Tool, arguments: dict[str, Any], idempotency_key: str) -> ExecutorResult:
    try:
        output: Any = await tool.call(arguments, idempotency_key=idempotency_key)
        # Through the codec at once: a replay reads the recorded form, and both have to be equal.
        output = from_json(to_json(output))
    except ToolFailed as error:
        return ExecutorResult.failure(ErrorCode.TOOL_ERROR, str(error))
    except Exception:
        _log.exception("tool.raised", tool=tool.name)
        return ExecutorResult.failure(
            ErrorCode.TOOL_ERROR, f"The tool {tool.name!r} failed; see the server's log"
        )
    return ExecutorResult(status="success", result={"tool": tool.name, "output": output})


def _check_tool(tool: Tool, known: dict[str, Tool]) -> None:
    if tool.name in known:
        raise InvalidSettings(f"two tools are called {tool.name!r}", hint="rename one of them")
    try:
        schema_violation(tool.input_schema, {})
    except (TypeError, ValueError) as error:
        raise InvalidSettings(
            f"the input schema of the tool {tool.name!r} is broken: {error}", hint="repair the tool"
        ) from error


def discover_tools() -> list[Tool]:
    """Return what installed packages offer: each entry point is a function that returns a tool.

    Raises InvalidSettings that names the entry point when it cannot be loaded.
    """
    tools: list[Tool] = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            tools.append(entry.load()())
        except Exception as error:
            raise InvalidSettings(
                f"the tool {entry.name!r} of {entry.value!r} cannot be loaded: {error}",
                hint="repair or uninstall the package that offers it",
            ) from error
    return tools
