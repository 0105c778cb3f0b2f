"""Whether the tools that a manifest's agents name are there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from tercet.domain.errors import InvalidManifest
from tercet.manifest.revision import Revision
from tercet.tools.catalog import ToolCatalog

_TASK = "Task"


def check_agent_tools(revision: Revision, catalog: ToolCatalog) -> None:
    """Raise InvalidManifest that names every unknown tool and MCP server with its place."""
    tools, servers = {*catalog.names(), _TASK}, set(catalog.mcp.names)
    detail: list[dict[str, Any]] = []
    for index, agent in enumerate(revision.manifest.agents):
        place = f"agents.{index}.config"
        for name in agent.config.allowed_tools:
            if name not in tools and not name.startswith("mcp__"):
                detail.append(_unknown("unknown-tool", "tool", name, tools, f"{place}.allowed_tools"))
        for server in agent.config.mcp_servers:
            if isinstance(server, str) and server not in servers:
                detail.append(
                    _unknown("unknown-mcp-server", "MCP server", server, servers, f"{place}.mcp_servers")
                )
    if detail:
        raise InvalidManifest(f"{detail[0]['field']}: {detail[0]['message']}", detail=detail)


def _unknown(rule: str, kind: str, name: str, known: set[str], field: str) -> dict[str, Any]:
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known)) or 'none'}"
    return {"field": field, "rule": rule, "message": f"there is no {kind} {name!r}", "hint": hint}
