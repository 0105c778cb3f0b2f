"""Routes of the tool registry, and of the audit of tool calls."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from tercet.domain.clock import to_iso
from tercet.domain.errors import InvalidInput, NotFound
from tercet.store.agents import audit_of
from tercet.store.listing import get_execution
from tercet.tools.audit import first_broken
from tercet.tools.guard import Guard, ToolCall
from tercet.tools.security import SecurityContext
from tercet.tools.workspace import Workspace
from tercet.web.access import Caller, Node, Writer, body_schema, json_body, parse

router = APIRouter(tags=["tools"])


class TryOut(BaseModel):
    """A call to try. A tool with side effects runs only with `confirm`."""

    model_config = ConfigDict(extra="forbid")

    arguments: dict[str, Any] = Field(default_factory=dict)
    confirm: bool = False


def _workspace(node: Node) -> Workspace:
    return Workspace(node.services.workspaces / "try-out")


@router.get("/tools")
async def list_tools(node: Node, person: Caller) -> dict[str, Any]:
    """Return the registered tools and the MCP servers that can be named."""
    return {
        "items": node.tools.describe(_workspace(node)),
        "mcp_servers": node.tools.mcp.names,
        "next_cursor": None,
    }


@router.get("/tools/{name}")
async def show_tool(name: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return one tool with its schema."""
    found = next((tool for tool in node.tools.describe(_workspace(node)) if tool["name"] == name), None)
    if found is None:
        raise NotFound(f"there is no tool {name!r}", hint=f"registered: {', '.join(node.tools.names())}")
    return found


@router.post("/tools/{name}/test", openapi_extra=body_schema(TryOut))
async def try_tool(name: str, request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Call a tool through the guard: {success, result | error, code, duration_ms}."""
    wanted = parse(TryOut, await json_body(request))
    workspace = _workspace(node)
    tool = node.tools.get(name, workspace)
    if tool is None:
        raise NotFound(f"there is no tool {name!r}", hint=f"registered: {', '.join(node.tools.names())}")
    context = SecurityContext(user_id=person.user, organization_id=person.owner_id)
    sandbox = node.services.make_sandbox()
    guard = Guard({name: tool}, sandbox=sandbox, context=context, owner_id=person.owner_id)
    call = ToolCall(id="try-out", name=name, arguments=wanted.arguments)
    refusal = guard.admit(call)
    if refusal is not None:
        return refusal.to_wire()
    if tool.changes_world(wanted.arguments) and not wanted.confirm:
        raise InvalidInput(
            f"the tool {name!r} has side effects", hint='send "confirm": true to run it all the same',
            detail=[{"field": "confirm", "rule": "is required for a call with side effects"}],
        )  # fmt: skip
    return (await guard.run(call, idempotency_key=f"try-out:{uuid4()}")).to_wire()


@router.get("/executions/{execution_id}/tool-calls")
async def tool_calls(execution_id: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return the audit of an execution's tool calls, and whether its chain is whole."""
    row = await node.reader.read(get_execution, owner_id=person.owner_id, execution_id=execution_id)
    if row is None:
        raise NotFound(f"there is no execution {execution_id!r}")
    rows = await node.reader.read(audit_of, execution_id)
    items = [
        {
            **{name: entry[name] for name in (
                "seq", "task_id", "subtask_id", "agent", "tool", "version", "call_id", "arguments_digest", "outcome",
                "code", "flags", "duration_ms", "user_id", "hash",
            )},
            "at": to_iso(entry["at_ms"]),
        }
        for entry in rows
    ]  # fmt: skip
    return {"items": items, "chain_broken_at": first_broken(rows), "next_cursor": None}
