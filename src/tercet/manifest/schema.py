"""The manifest's schema (spec 2; `executor-kinds`: agent blocks, the five function patterns, bundle approval)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, ConfigDict, Field

from tercet.domain.duration import Seconds
from tercet.manifest.handlers import (
    Block,
    EventName,
    HandlerBlock,
    HandlerConfig,
    HandlerName,
    JsonSchema,
    Trigger,
)
from tercet.manifest.humans import HumanStep


class EventBlock(Block):
    """A declared event."""

    name: EventName
    description: str | None = None
    data_schema: JsonSchema | None = Field(default=None, alias="schema")
    """JSON Schema of the event's data; an outside event that breaks it is refused."""
    outside: bool = False
    """May come from outside although a handler emits it too. An event that nothing emits always may."""


class ContextIn(Block):
    """What the agent is told beside the event."""

    from_db: list[str] = Field(default_factory=list)
    static: dict[str, Any] = Field(default_factory=dict)


class ContextOut(Block):
    """What the agent leaves beside its output."""

    artifacts: list[str] = Field(default_factory=list)


class AgentContract(Block):
    """States before and after, context, and the schema of the output."""

    state_in: str | list[str] | None = None
    state_out: str | list[str] | None = None
    context_in: ContextIn = ContextIn()
    context_out: ContextOut = ContextOut()
    output_schema: JsonSchema | str | None = None
    """A JSON Schema, or the name of a .json or .yaml file in the agent's folder."""


class AgentConfig(Block):
    """The model and what it may use."""

    model: str = "sonnet"
    """haiku, sonnet, opus, or any `provider:model` string."""
    fallback_models: list[str] = Field(default_factory=list)
    allowed_tools: list[str] = Field(default_factory=list)
    permission_mode: str | None = None
    subagents: list[str] = Field(default_factory=list)
    mcp_servers: list[str | dict[str, Any]] = Field(default_factory=list)


class AgentLimits(Block):
    """Hard limits of one agent task."""

    max_tokens: Annotated[int, Field(ge=1)] = 50_000
    max_tool_calls: Annotated[int, Field(ge=0)] = 50
    timeout_seconds: Seconds = Field(
        default=300.0,
        validation_alias=AliasChoices("timeout_seconds", "timeout"),
        serialization_alias="timeout_seconds",
    )
    max_retries: Annotated[int, Field(ge=0, le=99)] = 3
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None


class Workspace(Block):
    """Where the agent's files live and when they go."""

    base: str = "workspaces"
    cleanup: Literal["on_success", "on_complete", "never"] = "on_success"
    snapshot_on_failure: bool = True


class Agent(HandlerBlock):
    """🤖 A step that a model does."""

    triggers: Annotated[list[Trigger], Field(min_length=1)]
    folder: str | None = None
    """Holds CLAUDE.md; relative to the manifest. Default: `agents/<name>`."""
    instructions: str | None = None
    """Used instead of a folder's CLAUDE.md, e.g. by manifests that arrive over HTTP."""
    contract: AgentContract = AgentContract()
    config: AgentConfig = AgentConfig()
    limits: AgentLimits = AgentLimits()
    workspace: Workspace = Workspace()


class FanIn(Block):
    """Start when `primary` and every event of `wait_for` have come with the same key."""

    primary: EventName
    wait_for: Annotated[list[EventName], Field(min_length=1)]
    correlation_key: str
    """A field of the data (`lead_id`, `lead.id`) or a CEL expression over `event` and `data`."""
    timeout_seconds: Seconds | None = Field(
        default=None,
        validation_alias=AliasChoices("timeout", "timeout_seconds"),
        serialization_alias="timeout",
    )
    """After this the handler runs with what has come (`partial: true`)."""
    count: Annotated[int, Field(ge=1)] | str = 1
    """How many of each `wait_for` event are needed: a number, or CEL over the primary's `event` and `data`."""


class Cron(Block):
    """Start at the times of a five-field cron expression, in `timezone`."""

    cron: str
    timezone: str = "UTC"
    schedule: str | None = None
    """The same in words, for readers."""


class Webhook(Block):
    """Start on `POST /api/v1/hooks/<manifest>/<path>`."""

    webhook: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_/-]{0,199}$")]
    """The path."""
    secret_env: Annotated[str, Field(pattern=r"^TERCET_HOOK_[A-Z0-9_]+$")] | None = None
    """Environment variable with the Standard Webhooks secret; unsigned requests are then refused."""


class Route(Block):
    """What one value of `route_on` leads to."""

    emit: EventName
    then: str | None = None
    """What happens after, in words."""


class WebhookStep(Block):
    """One named step of a webhook function."""

    name: HandlerName
    action: str
    """`module:function`, called with (event, ctx), its result under `steps.<name>` for later ones."""
    on_failure: Literal["fail", "continue"] = "fail"
    notes: str | None = None


class ExecutorBlock(Block):
    """An executor of the registry as the function's work; other keys are the executor's task."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    type: str
    constraints: dict[str, Any] = Field(default_factory=dict)


class Function(HandlerBlock):
    """⚙️ A step that code does."""

    pattern: Literal["simple", "fan-in", "cron", "routing", "webhook", "inngest-first-webhook"] = "simple"
    trigger: Trigger | FanIn | Cron | Webhook
    handler: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    executor: ExecutorBlock | None = None
    config: HandlerConfig = HandlerConfig()
    requires_approval: HandlerName | None = None
    """The human step whose approval of this very item is checked again before each attempt."""
    route_on: str | None = None
    routes: dict[str, Route] = Field(default_factory=dict)
    default_route: Route | None = None
    steps: list[WebhookStep] = Field(default_factory=list)
    actions: list[Any] = Field(default_factory=list)
    integrations: list[Any] = Field(default_factory=list)
    context: Any = None
    open_questions: list[Any] = Field(default_factory=list)
    data_schema: JsonSchema | None = Field(default=None, alias="schema")


class Budget(Block):
    """A money or token limit; what happens when an estimate does not fit is `on_limit`."""

    scope: Literal["call", "execution", "agent", "owner", "day"]
    name: str | None = None
    """The agent's name when scope is agent; absent means each agent."""
    limit_usd: Annotated[float, Field(ge=0)] | None = None
    limit_tokens: Annotated[int, Field(ge=0)] | None = None
    on_limit: Literal["stop", "approve", "fallback"] = "stop"


class ManifestConfig(Block):
    """Defaults and limits of the whole manifest."""

    defaults: HandlerConfig = HandlerConfig()
    budgets: list[Budget] = Field(default_factory=list)
    allow_unpriced: bool = False
    max_hops: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """The cap on cycles: the longest chain of events from the root event."""
    variables: dict[str, Any] = Field(default_factory=dict)
    """Constants that handlers read as `ctx.variables` and templates as `variables`."""


class Manifest(Block):
    """A whole manifest."""

    name: HandlerName
    description: str | None = None
    version: str | int | None = None
    config: ManifestConfig = ManifestConfig()
    events: list[EventBlock] = Field(default_factory=list)
    agents: list[Agent] = Field(default_factory=list)
    functions: list[Function] = Field(default_factory=list)
    humans: list[HumanStep] = Field(default_factory=list)
