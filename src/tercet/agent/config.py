"""What an agent is: the configuration of spec 3, with limits, sub-agents, an output schema and a workspace."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tercet.domain.models import parse_model
from tercet.domain.schema_check import schema_violation
from tercet.tools.addresses import check_rule

DEEPEST = 3
"""Sub-agents may have sub-agents, so deep."""
Name = Annotated[str, Field(min_length=1, max_length=200)]
ToolName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,127}$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RateLimit(_Part):
    """So many calls in a moving window."""

    max_calls: int = Field(ge=1)
    window_seconds: int = Field(default=60, ge=1, le=86_400)


class ToolOptions(_Part):
    """How this agent may use a tool; what is left out is the tool's own."""

    enabled: bool = True
    requires_approval: bool | None = None
    fatal: bool | None = None
    timeout_seconds: float | None = Field(default=None, gt=0, le=3_600)
    cache_ttl_seconds: float | None = Field(default=None, ge=0, le=86_400 * 30)
    rate_limit: RateLimit | None = None


class CustomTool(_Part):
    """A tool class that the process knows; `class` is its name, never a path to import."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    class_name: Annotated[str, Field(alias="class", pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
    enabled: bool = True


class Limits(_Part):
    """Limits of one run, and of what the agent may spend over time. None means no limit."""

    max_turns: int = Field(default=10, ge=1, le=200)
    max_tool_calls: int = Field(default=50, ge=0, le=10_000)
    max_tokens: int = Field(default=4_096, ge=1, le=128_000)
    """Of one answer."""
    max_run_tokens: int | None = Field(default=None, ge=1)
    max_call_usd: Decimal | None = Field(default=None, gt=0)
    max_cost_usd: Decimal | None = Field(default=Decimal(1), gt=0)
    """Of one run."""
    max_agent_usd: Decimal | None = Field(default=None, gt=0)
    """Of all the agent's runs."""
    max_day_usd: Decimal | None = Field(default=None, gt=0)
    """Of all that the owner spends on a day, when this agent wants to spend more."""
    max_owner_usd: Decimal | None = Field(default=None, gt=0)
    on_limit: Literal["stop", "approve", "fallback"] = "stop"
    allow_unpriced: bool = False
    timeout_seconds: float = Field(default=300.0, gt=0, le=86_400)
    max_retries: int = Field(default=2, ge=0, le=20)
    """Of the run's attempts after a failure that may pass, such as an overloaded provider."""
    context_tokens: int | None = Field(default=None, ge=100)
    """How long the conversation may get; None means as long as the model can read."""
    max_history: int = Field(default=10, ge=0, le=1_000)
    """How many earlier messages a run begins with."""


class WorkspaceRules(_Part):
    """What becomes of the agent's files after a run."""

    cleanup: Literal["on_success", "on_complete", "never"] = "on_success"
    snapshot_on_failure: bool = True


class AgentConfig(_Part):
    """An agent. `tools` is {name: true} or {name: options}."""

    name: Name
    description: str = Field(default="", max_length=10_000)
    agent_type: Literal["llm"] = "llm"
    role: str = Field(default="", max_length=10_000)
    instructions: str = Field(default="", max_length=200_000)
    model: str = "sonnet"
    fallback_models: list[str] = Field(default_factory=list, max_length=10)
    temperature: float | None = Field(default=None, ge=0, le=2)
    tools: dict[ToolName, bool | ToolOptions] = Field(default_factory=dict)
    custom_tools: dict[ToolName, CustomTool] = Field(default_factory=dict)
    mcp_servers: list[Name] = Field(default_factory=list, max_length=50)
    subagents: list[AgentConfig] = Field(default_factory=list, max_length=50)
    output_schema: dict[str, Any] | None = None
    limits: Limits = Limits()
    workspace: WorkspaceRules = WorkspaceRules()
    permissions: list[str] | None = None
    """`tool:NAME`; None allows the tools that are enabled."""
    allowed_domains: list[str] = Field(default_factory=list, max_length=1_000)
    """Hosts for http_request; empty means every public one."""

    @field_validator("model", "fallback_models")
    @classmethod
    def _known_provider(cls, value: str | list[str]) -> str | list[str]:
        for name in [value] if isinstance(value, str) else value:
            parse_model(name)
        return value

    @field_validator("subagents")
    @classmethod
    def _not_too_deep(cls, value: list[AgentConfig]) -> list[AgentConfig]:
        if max((agent.depth for agent in value), default=0) >= DEEPEST:
            raise ValueError(f"sub-agents may be nested {DEEPEST} deep")
        names = [agent.name for agent in value]
        if len(set(names)) < len(names):
            raise ValueError("two sub-agents have the same name")
        return value

    @field_validator("allowed_domains")
    @classmethod
    def _domains(cls, value: list[str]) -> list[str]:
        return [check_rule(rule) for rule in value]

    @field_validator("output_schema")
    @classmethod
    def _is_schema(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None:
            schema_violation(value, {})
        return value

    @property
    def depth(self) -> int:
        """How deep its sub-agents are nested; 0 without any."""
        return 1 + max(agent.depth for agent in self.subagents) if self.subagents else 0

    def options_of(self, tool: str) -> ToolOptions:
        """Return how the agent may use a tool."""
        given = self.tools.get(tool, False)
        return ToolOptions(enabled=given) if isinstance(given, bool) else given

    @property
    def enabled_tools(self) -> list[str]:
        """The names of the tools that are switched on, in the order of the configuration."""
        named = [name for name in self.tools if self.options_of(name).enabled]
        switched_off = {name for name, custom in self.custom_tools.items() if not custom.enabled}
        return [name for name in named if name not in switched_off]
