"""Which tools there are: the built-in ones, those of installed packages, the workspace's, the operator's MCP servers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from typing import Any

from tercet.domain.errors import InvalidSettings
from tercet.domain.schema_check import schema_violation
from tercet.domain.tool import Tool
from tercet.tools.base import ToolBase
from tercet.tools.calculator import CalculatorTool
from tercet.tools.calendar_file import CalendarTool
from tercet.tools.csv_table import CsvTool
from tercet.tools.email import EmailTool
from tercet.tools.files import GlobTool, ReadTool, WriteTool
from tercet.tools.http_request import HTTPRequestTool
from tercet.tools.mcp import McpServers
from tercet.tools.run_command import RunCommandTool
from tercet.tools.slack import SlackTool
from tercet.tools.workspace import Workspace

ENTRY_POINT_GROUP = "tercet.tools"
WORKSPACE_TOOLS: dict[str, Callable[[Workspace], ToolBase]] = {
    "Read": ReadTool,
    "Write": WriteTool,
    "Glob": GlobTool,
    "csv": CsvTool,
    "calendar": CalendarTool,
    "run_command": RunCommandTool,
}
"""Tools that work in an agent's folder; each run gets its own."""


class ToolCatalog:
    """Tools by name. Names are unique; a second tool of a name is a mistake in the set-up."""

    def __init__(self, tools: Iterable[Tool] = (), *, mcp: McpServers | None = None) -> None:
        """Take the tools. Raises InvalidSettings for a name that is taken and for a schema that is none."""
        self._tools: dict[str, Tool] = {}
        self._origins: dict[str, str] = {}
        self.mcp = mcp or McpServers()
        for tool in tools:
            self.add(tool, origin="built in")

    @property
    def shared(self) -> dict[str, Tool]:
        """The tools that need no workspace."""
        return dict(self._tools)

    def add(self, tool: Tool, *, origin: str) -> None:
        """Add a tool. Raises InvalidSettings."""
        if tool.name in self._tools or tool.name in WORKSPACE_TOOLS:
            raise InvalidSettings(f"two tools are called {tool.name!r}", hint="rename one of them")
        try:
            schema_violation(tool.input_schema, {})
        except (TypeError, ValueError) as error:
            raise InvalidSettings(
                f"the input schema of the tool {tool.name!r} is broken: {error}", hint="repair the tool"
            ) from error
        self._tools[tool.name] = tool
        self._origins[tool.name] = origin

    def discover(self) -> None:
        """Add what installed packages offer: each entry point is a function that returns a tool."""
        for entry in entry_points(group=ENTRY_POINT_GROUP):
            try:
                tool = entry.load()()
            except Exception as error:
                raise InvalidSettings(
                    f"the tool {entry.name!r} of {entry.value!r} cannot be loaded: {error}",
                    hint="repair or uninstall the package that offers it",
                ) from error
            self.add(tool, origin=entry.dist.name if entry.dist is not None else entry.value)

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted({*self._tools, *WORKSPACE_TOOLS})

    def get(self, name: str, workspace: Workspace) -> Tool | None:
        """Return a tool; one that works on files works in `workspace`."""
        make = WORKSPACE_TOOLS.get(name)
        return self._tools.get(name) if make is None else make(workspace)

    def describe(self, workspace: Workspace) -> list[dict[str, Any]]:
        """Return every tool as JSON: name, description, version, schema, side effects, permission, origin."""
        found = [(name, self.get(name, workspace)) for name in self.names()]
        return [
            {
                **describe_tool(tool),
                "origin": self._origins.get(name, "built in"),
                "workspace": name in WORKSPACE_TOOLS,
            }
            for name, tool in found
            if tool is not None
        ]


def describe_tool(tool: Tool) -> dict[str, Any]:
    """Return one tool as JSON."""
    return {
        "name": tool.name,
        "description": tool.description,
        "version": tool.version,
        "input_schema": tool.input_schema,
        "side_effects": tool.side_effects,
        "idempotent": tool.idempotent,
        "requires_approval": tool.requires_approval,
        "permission": tool.permission,
        "timeout_seconds": tool.timeout_seconds,
        "cache_ttl_seconds": tool.cache_ttl_seconds,
    }


def builtin_tools(
    *, email: EmailTool | None = None, slack: SlackTool | None = None, http: HTTPRequestTool | None = None
) -> list[Tool]:
    """Return the built-in tools that need no workspace, with set-up where it is given."""
    return [CalculatorTool(), http or HTTPRequestTool(), email or EmailTool(), slack or SlackTool()]
