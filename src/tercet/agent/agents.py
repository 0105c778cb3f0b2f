"""The registry's agents: create, read, change, delete. A change makes a revision; runs keep theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tercet.agent.config import AgentConfig
from tercet.agent.definition import AgentDefinition
from tercet.agent.task import AgentServices
from tercet.agent.toolbox import local_tools
from tercet.domain.codec import digest, from_json, to_json
from tercet.domain.errors import Conflict, NotFound, ToolNotFoundError
from tercet.domain.sealing import Keyring
from tercet.engine.engine import Engine
from tercet.executors.llm import LlmExecutor
from tercet.store import statements as sql
from tercet.store.agents import list_agents, load_agent, load_revision
from tercet.store.reader import Record
from tercet.store.unit import Unit
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.workspace import Workspace


@dataclass(frozen=True, kw_only=True)
class RegisteredAgent:
    """An agent of the registry."""

    id: str
    owner_id: str
    config: AgentConfig
    is_active: bool
    has_api_key: bool
    revision: int
    revision_id: str
    created_at_ms: int
    updated_at_ms: int


class Agents:
    """Agents by id, each its owner's."""

    def __init__(
        self,
        engine: Engine,
        services: AgentServices,
        keyring: Keyring,
        *,
        llm_with_key: Callable[[str], LlmExecutor | None],
    ) -> None:
        self._engine = engine
        self._services = services
        self._keyring = keyring
        self._llm_with_key = llm_with_key
        self._own_llms: list[LlmExecutor] = []
        self._pinned: dict[tuple[str, str], str] = {}

    async def aclose(self) -> None:
        """Close the connections of agents that have a key of their own."""
        for llm in self._own_llms:
            await llm.aclose()

    async def create(
        self, config: AgentConfig, *, owner_id: str, is_active: bool = True, api_key: str | None = None
    ) -> RegisteredAgent:
        """Register an agent. Raises ToolNotFoundError for a tool that there is not."""
        self._check(config)
        engine, now_ms = self._engine, self._engine.clock.now_ms()
        agent_id, revision_id = engine.mint.mint("agt"), engine.mint.mint("agr")
        row = {
            "id": agent_id, "owner_id": owner_id, "name": config.name, "role": config.role[:200] or None,
            "poll_endpoint": None, "webhook_url": None, "is_active": is_active, "last_heartbeat_at_ms": None,
            "capabilities": to_json(config.enabled_tools), "created_at_ms": now_ms, "revision_id": revision_id,
            "api_key_sealed": self._seal(agent_id, api_key), "updated_at_ms": now_ms, "deleted_at_ms": None,
            "is_worker": False, "webhook_secret_sealed": None,
        }  # fmt: skip
        unit = Unit()
        unit.add(sql.INSERT_AGENT, tuple(row[column] for column in sql.INSERT_AGENT.columns))
        self._add_revision(unit, revision_id, agent_id, owner_id, 1, config, now_ms)
        await engine.journal.submit(unit)
        return await self.get(agent_id, owner_id=owner_id)

    async def get(self, agent_id: str, *, owner_id: str) -> RegisteredAgent:
        """Return an agent. Raises NotFound."""
        row = await self._engine.reader.read(load_agent, owner_id=owner_id, agent_id=agent_id)
        if row is None:
            raise NotFound(f"there is no agent {agent_id!r}")
        return _to_agent(row)

    async def all(self, *, owner_id: str, limit: int, after: str | None = None) -> list[RegisteredAgent]:
        """Return an owner's agents in the order in which they were made."""
        rows = await self._engine.reader.read(list_agents, owner_id=owner_id, limit=limit, after=after)
        return [_to_agent(row) for row in rows]

    async def change(
        self,
        agent: RegisteredAgent,
        config: AgentConfig,
        *,
        is_active: bool | None = None,
        api_key: str | None = None,
    ) -> RegisteredAgent:
        """Give an agent a new configuration. Runs that have begun keep the old one. Raises Conflict."""
        self._check(config)
        row = await self._row(agent)
        engine, now_ms, unit = self._engine, self._engine.clock.now_ms(), Unit()
        revision_id: str = row["revision_id"]
        if config != agent.config or api_key is not None:
            revision_id = engine.mint.mint("agr")
            self._add_revision(
                unit, revision_id, agent.id, agent.owner_id, row["revision"] + 1, config, now_ms
            )
        sealed = row["api_key_sealed"] if api_key is None else self._seal(agent.id, api_key)
        active = agent.is_active if is_active is None else is_active
        unit.add(
            sql.UPDATE_AGENT,
            (config.name, config.role[:200] or None, active, revision_id, sealed, now_ms, None, agent.id),
        )
        await engine.journal.submit(unit)
        return await self.get(agent.id, owner_id=agent.owner_id)

    async def pin(self, agent: RegisteredAgent, config: AgentConfig) -> RegisteredAgent:
        """Return the agent with another configuration for some runs; its newest one stays. Equal ones are kept once."""
        if config == agent.config:
            return agent
        key = (agent.id, digest(config.model_dump(mode="json", by_alias=True)))
        revision_id = self._pinned.get(key)
        if revision_id is None:
            engine, unit = self._engine, Unit()
            revision_id = self._pinned[key] = engine.mint.mint("agr")
            self._add_revision(
                unit, revision_id, agent.id, agent.owner_id, agent.revision, config, engine.clock.now_ms()
            )
            await engine.journal.submit(unit)
        return replace(agent, config=config, revision_id=revision_id)

    async def delete(self, agent: RegisteredAgent) -> None:
        """Take an agent out of the registry, and its key with it; its runs stay."""
        row, now_ms, unit = await self._row(agent), self._engine.clock.now_ms(), Unit()
        unit.add(
            sql.UPDATE_AGENT,
            (row["name"], row["role"], False, row["revision_id"], None, now_ms, now_ms, agent.id),
        )
        await self._engine.journal.submit(unit)

    async def definition(self, revision_id: str) -> AgentDefinition:
        """Return a pinned revision; what the engine asks. Raises NotFound."""
        row = await self._engine.reader.read(load_revision, revision_id)
        if row is None:
            raise NotFound(f"there is no agent revision {revision_id!r}")
        llm = None
        if row["api_key_sealed"] is not None:
            llm = self._llm_with_key(self._keyring.open(row["api_key_sealed"], belongs_to=row["agent_id"]))
            self._own_llms += [llm] if llm is not None else []
        return AgentDefinition(
            AgentConfig.model_validate(from_json(row["body"])), self._services, agent_id=row["agent_id"],
            revision_id=revision_id, llm=llm,
        )  # fmt: skip

    def tools_of(self, config: AgentConfig) -> list[dict[str, Any]]:
        """Return {name, description, enabled, …} of every tool that the configuration names."""
        catalog = self._services.catalog
        tools = local_tools(
            config, catalog, workspace=Workspace(self._services.workspaces), sandbox=ToolSandbox()
        )
        out = []
        for name in config.tools:
            tool = tools.get(name) or catalog.get(name, Workspace(self._services.workspaces))
            out.append(
                {
                    "name": name, "description": tool.description if tool is not None else "",
                    "enabled": name in config.enabled_tools,
                    "version": tool.version if tool is not None else None,
                    "side_effects": tool.side_effects if tool is not None else None,
                    "requires_approval": tool.requires_approval if tool is not None else None,
                    "permission": f"tool:{name}",
                    "input_schema": tool.input_schema if tool is not None else None,
                }
            )  # fmt: skip
        return out

    def _check(self, config: AgentConfig) -> None:
        local_tools(
            config,
            self._services.catalog,
            workspace=Workspace(self._services.workspaces),
            sandbox=ToolSandbox(),
        )
        known = self._services.catalog.mcp.names
        for server in config.mcp_servers:
            if server not in known:
                raise ToolNotFoundError(
                    f"the agent {config.name!r} names the MCP server {server!r}, which is not configured",
                    hint=f"configured: {', '.join(known) or 'none'}", tool_name=server,
                )  # fmt: skip
        for sub in config.subagents:
            self._check(sub)

    async def _row(self, agent: RegisteredAgent) -> Record:
        row: Record | None = await self._engine.reader.read(
            load_agent, owner_id=agent.owner_id, agent_id=agent.id
        )
        if row is None or row["revision_id"] != agent.revision_id:
            raise Conflict(f"the agent {agent.id!r} was changed in between", hint="read it again")
        return row

    def _seal(self, agent_id: str, api_key: str | None) -> str | None:
        return self._keyring.seal(api_key, belongs_to=agent_id) if api_key else None

    def _add_revision(
        self, unit: Unit, revision_id: str, agent_id: str, owner_id: str, revision: int, config: AgentConfig, now_ms: int
    ) -> None:  # fmt: skip
        body = to_json(
            config.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"name": config.name}
        )
        unit.add(sql.INSERT_AGENT_REVISION, (revision_id, agent_id, owner_id, revision, body, now_ms))


def _to_agent(row: Record) -> RegisteredAgent:
    return RegisteredAgent(
        id=row["id"],
        owner_id=row["owner_id"],
        config=AgentConfig.model_validate(from_json(row["body"])),
        is_active=bool(row["is_active"]),
        has_api_key=row["api_key_sealed"] is not None,
        revision=row["revision"],
        revision_id=row["revision_id"],
        created_at_ms=row["created_at_ms"],
        updated_at_ms=row["updated_at_ms"] or row["created_at_ms"],
    )
