"""Tools of MCP servers, through the official client: `mcp__SERVER__TOOL`.

Which servers there are is the operator's choice (a file in the common `mcpServers` format): a server that runs
as a command runs with the operator's rights, so no request and no manifest may bring one along.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidSettings
from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase

if TYPE_CHECKING:
    from mcp import Client

_log = structlog.get_logger(__name__)
_CONNECT_SECONDS = 30.0
_CALL_SECONDS = 120.0


class McpServer(BaseModel):
    """One entry of `mcpServers`: a command, or a URL."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    command: str | None = None
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    trusted_read_only: bool = False
    """Whether to believe the server's `readOnlyHint`; else every tool counts as one with side effects."""

    @model_validator(mode="after")
    def _one_way(self) -> McpServer:
        if (self.command is None) == (self.url is None):
            raise ValueError("a server has either a command or a url")
        return self


def load_mcp_servers(path: Path) -> dict[str, McpServer]:
    """Read a file `{"mcpServers": {NAME: {command, args, env} | {url}}}`. Raises InvalidSettings."""
    try:
        body = from_json(path.read_bytes())
        return {name: McpServer.model_validate(entry) for name, entry in body["mcpServers"].items()}
    except OSError as error:
        raise InvalidSettings(f"the MCP file {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidSettings(f"the MCP file {path}: {first['loc']}: {first['msg']}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidSettings(f'the MCP file {path} has not the form {{"mcpServers": {{…}}}}') from error


class McpTool(ToolBase):
    """One tool of a server."""

    def __init__(self, connection: McpConnection, tool: Any, *, trusted_read_only: bool) -> None:
        hints = tool.annotations
        read_only = bool(trusted_read_only and hints is not None and hints.read_only_hint)
        super().__init__(
            name=f"mcp__{connection.name}__{tool.name}"[:200],
            description=tool.description or tool.title or tool.name,
            input_schema={"type": "object", **tool.input_schema},
            side_effects=not read_only,
            idempotent=bool(hints is not None and hints.idempotent_hint and trusted_read_only),
            timeout_seconds=_CALL_SECONDS,
        )
        self._connection = connection
        self._tool = tool.name

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        """Call the server; return its structured content, or its text."""
        return await self._connection.call(self._tool, arguments)


class McpConnection:
    """A lasting connection to one server, held by a task of its own: the client's scopes belong to one task."""

    def __init__(self, name: str, server: McpServer) -> None:
        self.name = name
        self._server = server
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._lock = asyncio.Lock()

    async def tools(self) -> list[ToolBase]:
        """Return the server's tools. Raises ToolFailed when it cannot be reached."""
        client = await self._connected()
        listed = await client.list_tools()
        return [
            McpTool(self, tool, trusted_read_only=self._server.trusted_read_only) for tool in listed.tools
        ]

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool. Raises ToolFailed with the server's words, or when it is gone."""
        client = await self._connected()
        try:
            result = await client.call_tool(tool, arguments)
        except Exception as error:
            _log.warning("mcp.call_failed", server=self.name, tool=tool, exc_info=error)
            raise ToolFailed(f"The MCP server {self.name!r} failed") from error
        texts = [str(block.text) for block in result.content if block.type == "text"]
        if result.is_error:
            raise ToolFailed("\n".join(texts)[:2_000] or f"The MCP server {self.name!r} reports an error")
        return result.structured_content if result.structured_content is not None else "\n".join(texts)

    async def aclose(self) -> None:
        """End the connection, and the server if it is a command."""
        self._stop.set()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _connected(self) -> Client:
        async with self._lock:
            if self._client is not None and self._task is not None and not self._task.done():
                return self._client
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(ready), name=f"mcp-{self.name}")
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    self._client = await ready
            except Exception as error:
                self._task.cancel()
                raise ToolFailed(f"The MCP server {self.name!r} cannot be reached") from error
            return self._client

    async def _hold(self, ready: asyncio.Future[Client]) -> None:
        from mcp import Client

        try:
            async with Client(_target(self._server)) as client:
                ready.set_result(client)
                await self._stop.wait()
        except Exception as error:
            _log.warning("mcp.connection_failed", server=self.name, exc_info=error)
            if not ready.done():
                ready.set_exception(error)


class McpServers:
    """The servers of the operator's file, connected when first used."""

    def __init__(self, servers: Mapping[str, McpServer] | None = None) -> None:
        self._connections = {name: McpConnection(name, server) for name, server in (servers or {}).items()}

    @property
    def names(self) -> list[str]:
        """The servers' names, sorted."""
        return sorted(self._connections)

    async def tools_of(self, name: str) -> list[ToolBase]:
        """Return a server's tools. Raises ToolFailed for an unknown or unreachable one."""
        connection = self._connections.get(name)
        if connection is None:
            raise ToolFailed(f"there is no MCP server {name!r}; known: {', '.join(self.names) or 'none'}")
        return await connection.tools()

    async def aclose(self) -> None:
        """End all connections."""
        for connection in self._connections.values():
            await connection.aclose()


def _target(server: McpServer) -> Any:
    if server.url is not None:
        return server.url
    from mcp.client.stdio import StdioServerParameters

    return StdioServerParameters(
        command=server.command or "", args=server.args, env=server.env or None, cwd=server.cwd
    )
