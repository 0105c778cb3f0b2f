"""What the three kinds of handler have in common: triggers, emits, flow control."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from tercet.domain.duration import Seconds

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]{0,99}$"
EVENT_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$"

HandlerName = Annotated[str, Field(pattern=NAME_PATTERN)]
EventName = Annotated[str, Field(pattern=EVENT_PATTERN, max_length=200)]


class Block(BaseModel):
    """The base of every manifest block: unknown keys are errors, values do not change."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Trigger(Block):
    """An event that starts the handler, with an optional CEL filter over `event` and `data`."""

    event: EventName
    condition: str | None = Field(default=None, alias="if")


class Emit(Block):
    """An event that the handler emits when it completes; a bare string is short for `{event: …}`."""

    event: EventName
    when: str | None = None
    """CEL over `output`, `event` and `data`; absent means always."""
    delay: Seconds = 0.0
    carry: bool | list[str] = False
    """Fields of the triggering event's data that are copied beneath the result: true copies all of them."""


def _emit_short_form(value: object) -> object:
    return {"event": value} if isinstance(value, str) else value


EmitEntry = Annotated[Emit, BeforeValidator(_emit_short_form)]


class Concurrency(Block):
    """How many tasks with the same key may run at once."""

    limit: Annotated[int, Field(ge=1)]
    key: str | None = None


class Rate(Block):
    """At most `limit` starts in each `period_seconds`, for each key."""

    limit: Annotated[int, Field(ge=1)]
    period_seconds: Seconds = Field(alias="period")
    key: str | None = None


class Debounce(Block):
    """Start once, `period_seconds` after the last event with the same key."""

    period_seconds: Seconds = Field(alias="period")
    key: str | None = None


class Batch(Block):
    """Start once for up to `max_size` events, or when `timeout_seconds` have passed."""

    max_size: Annotated[int, Field(ge=1)]
    timeout_seconds: Seconds = Field(alias="timeout")
    key: str | None = None


class FlowControl(Block):
    """Reserved keys for flow control: accepted by the schema, reported as not in force by the checks."""

    concurrency: Concurrency | None = None
    throttle: Rate | None = None
    debounce: Debounce | None = None
    batch: Batch | None = None
    cancel_on: list[Trigger] = Field(default_factory=list)


class HandlerBlock(FlowControl):
    """The fields that agents, functions and human steps share."""

    name: HandlerName
    description: str | None = None
    notes: str | None = None
    emits: list[EmitEntry] = Field(default_factory=list)
    priority: Annotated[int, Field(ge=1, le=1000)] = 100
    """1 is served first."""


class HandlerConfig(Block):
    """Retries and the time limit of one attempt (executor kinds: `retries=3, timeout="30s"`)."""

    retries: Annotated[int, Field(ge=0, le=99)] | None = None
    """Attempts after the first one."""
    backoff: Literal["exponential", "fixed"] = "exponential"
    backoff_seconds: Seconds = 1.0
    max_backoff_seconds: Seconds = 300.0
    timeout_seconds: Seconds | None = Field(
        default=None,
        validation_alias=AliasChoices("timeout", "timeout_seconds"),
        serialization_alias="timeout",
    )


JsonSchema = dict[str, Any]
"""A JSON Schema, 2020-12."""
