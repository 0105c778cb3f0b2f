"""`tool_call`: a named tool with arguments. Task fields: `tool`, `arguments`. Result: {tool, output}."""

from __future__ import annotations

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.tools.catalog import ToolCatalog
from tercet.tools.guard import Guard, ToolCall, ToolOutcome
from tercet.tools.sandbox import ToolSandbox

_CODES: dict[str, ErrorCode | str] = {
    "TOOL_NOT_FOUND": ErrorCode.TOOL_NOT_FOUND,
    "TOOL_ERROR": ErrorCode.TOOL_ERROR,
    "TOOL_TIMEOUT": ErrorCode.TOOL_ERROR,
    "RATE_LIMITED": ErrorCode.TOOL_ERROR,
    "OUTCOME_UNKNOWN": "OUTCOME_UNKNOWN",
}
"""Every other refusal is the caller's to mend."""


class ToolCallExecutor:
    """Calls one tool once, through the guard. The request's task_id goes along as the idempotency key."""

    executor_type = "tool_call"

    def __init__(self, catalog: ToolCatalog, *, sandbox: ToolSandbox | None = None) -> None:
        self._guard = Guard(catalog.shared, sandbox=sandbox)

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Call the tool; see the contract."""
        name, arguments = (
            request.task.field("tool"),
            request.task.field("arguments", request.task.input_variables),
        )
        call = ToolCall(
            id=request.task_id, name=name if isinstance(name, str) else str(name), arguments=arguments
        )
        outcome = self._guard.admit(call)
        if outcome is None and self._guard.needs_approval(call):
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT,
                f"The tool {call.name!r} needs an approval: put a human step before it",
            )
        if outcome is None:
            key = str(request.task.field("idempotency_key", request.task_id))
            outcome = await self._guard.run(call, idempotency_key=key)
        return to_result(outcome)


def to_result(outcome: ToolOutcome) -> ExecutorResult:
    """Return a tool call's outcome in the contract's form."""
    if outcome.outcome == "success":
        return ExecutorResult(status="success", result={"tool": outcome.tool, "output": outcome.output})
    code = _CODES.get(outcome.code or "", ErrorCode.INVALID_INPUT)
    return ExecutorResult.failure(code, outcome.error or "The tool failed")
