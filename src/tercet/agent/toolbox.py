"""From an agent's configuration to its tools; an unknown tool is caught here, before anything runs."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from tercet.agent.config import AgentConfig, ToolOptions
from tercet.domain.errors import ToolNotFoundError
from tercet.domain.tool import Tool, ToolFailed
from tercet.tools.base import ToolBase
from tercet.tools.catalog import ToolCatalog
from tercet.tools.http_request import HTTPRequestTool
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.workspace import Workspace

TASK_TOOL = "Task"


async def collect_tools(
    config: AgentConfig, catalog: ToolCatalog, *, workspace: Workspace, sandbox: ToolSandbox
) -> dict[str, Tool]:
    """Return the agent's tools by name, MCP servers' included. Raises ToolNotFoundError."""
    tools = local_tools(config, catalog, workspace=workspace, sandbox=sandbox)
    for server in config.mcp_servers:
        try:
            offered = await catalog.mcp.tools_of(server)
        except ToolFailed as error:
            raise ToolNotFoundError(str(error), tool_name=server) from error
        for tool in offered:
            options = config.options_of(tool.name) if tool.name in config.tools else ToolOptions()
            if options.enabled:
                tools[tool.name] = _with_options(tool, options)
    return tools


def local_tools(
    config: AgentConfig, catalog: ToolCatalog, *, workspace: Workspace, sandbox: ToolSandbox
) -> dict[str, Tool]:
    """Return the agent's tools without those of MCP servers. Raises ToolNotFoundError."""
    tools: dict[str, Tool] = {}
    for name in config.enabled_tools:
        if name.startswith("mcp__") or (name == TASK_TOOL and config.subagents):
            continue
        tool = _custom(config, name) or catalog.get(name, workspace)
        if tool is None:
            known = ", ".join(catalog.names())
            raise ToolNotFoundError(
                f"the agent {config.name!r} names the tool {name!r}, which is not registered",
                hint=f"registered: {known}", tool_name=name,
            )  # fmt: skip
        if isinstance(tool, HTTPRequestTool):
            tool = tool.within(sandbox)
        options = config.options_of(name)
        if options.rate_limit is not None:
            sandbox.set_rate_limit(name, options.rate_limit.max_calls, options.rate_limit.window_seconds)
        tools[name] = _with_options(tool, options)
    for domain in config.allowed_domains:
        sandbox.add_allowed_domain(domain)
    return tools


def tool_definitions(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return what the model is told of the tools."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in tools
    ]


def task_definition(subagents: Iterable[AgentConfig]) -> dict[str, Any]:
    """Return the definition of the tool that hands work to a sub-agent."""
    agents = list(subagents)
    lines = "\n".join(f"- {agent.name}: {agent.description or agent.role}" for agent in agents)
    return {
        "name": TASK_TOOL,
        "description": f"Hands a task to a sub-agent and returns its answer. Sub-agents:\n{lines}",
        "input_schema": {
            "type": "object",
            "properties": {
                "subagent": {"type": "string", "enum": [agent.name for agent in agents]},
                "prompt": {"type": "string", "minLength": 1, "description": "the whole task; the sub-agent sees nothing else"},
            },
            "required": ["subagent", "prompt"],
            "additionalProperties": False,
        },
    }  # fmt: skip


def _custom(config: AgentConfig, name: str) -> Tool | None:
    custom = config.custom_tools.get(name)
    if custom is None:
        return None
    found = ToolBase.class_named(custom.class_name)
    if found is None:
        raise ToolNotFoundError(
            f"the tool {name!r} names the class {custom.class_name!r}, which this process does not know",
            hint="define a subclass of ToolBase of this name before the agent is made", tool_name=name,
        )  # fmt: skip
    try:
        tool: ToolBase = found()  # type: ignore[call-arg]  # a subclass names itself
    except TypeError as error:
        raise ToolNotFoundError(
            f"the class {custom.class_name!r} cannot be made without arguments", tool_name=name
        ) from error
    if tool.name != name:
        raise ToolNotFoundError(
            f"the class {custom.class_name!r} is the tool {tool.name!r}, not {name!r}", tool_name=name
        )
    return tool


def _with_options(tool: Tool, options: ToolOptions) -> Tool:
    changed = {
        name: value
        for name in ("requires_approval", "fatal", "timeout_seconds", "cache_ttl_seconds")
        if (value := getattr(options, name)) is not None
    }
    if not changed:
        return tool
    own = copy.copy(tool)
    for name, value in changed.items():
        setattr(own, name, value)
    return own
