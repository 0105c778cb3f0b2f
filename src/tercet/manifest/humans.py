"""Declared human steps: what the person sees, fills in and may decide, and what happens when nobody does."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from tercet.domain.duration import Seconds
from tercet.manifest.handlers import Block, Emit, HandlerBlock, JsonSchema, Trigger

Outcome = Literal["approve", "reject", "revise", "timeout", "always"]


class HumanEmit(Emit):
    """An event emitted for one outcome of the decision."""

    on: Outcome = "approve"


def _human_emit_short_form(value: object) -> object:
    return {"event": value} if isinstance(value, str) else value


HumanEmitEntry = Annotated[HumanEmit, BeforeValidator(_human_emit_short_form)]


class Bundle(Block):
    """Items with the same key are decided together (bundle approval pattern)."""

    key: str
    """A field of the data or a CEL expression."""
    expects: Annotated[int, Field(ge=1)] | str | None = None
    """How many items make the bundle ready: a number, or CEL over `event` and `data`."""
    window_seconds: Seconds | None = Field(
        default=None, validation_alias=AliasChoices("window", "window_seconds"), serialization_alias="window"
    )
    """Ready also when this time has passed since the last item came."""


class Reminders(Block):
    """When waiting people are reminded (executor kinds: 4 h, at most 6)."""

    every_seconds: Seconds = Field(
        default=14_400.0, validation_alias=AliasChoices("every", "every_seconds"), serialization_alias="every"
    )
    max: Annotated[int, Field(ge=1, le=100)] = 6


class Escalation(Block):
    """When and to whom the approval goes if nobody decides (executor kinds: 24 h)."""

    after_seconds: Seconds = Field(
        default=86_400.0, validation_alias=AliasChoices("after", "after_seconds"), serialization_alias="after"
    )
    to: Annotated[list[str], Field(min_length=1)]
    """User or role names."""


class Who(Block):
    """Who may decide. Empty lists mean every owner and admin."""

    users: list[str] = Field(default_factory=list)
    roles: list[str] = Field(default_factory=list)
    not_requester: bool = False
    """The one who caused the step cannot decide it."""


class HumanStep(HandlerBlock):
    """👤 A step that a person does."""

    trigger: Trigger
    title: str | None = None
    """Jinja template over the event's data; shown as the subject."""
    instructions: str | None = None
    form: JsonSchema | None = None
    """What the person fills in; checked on approve."""
    editable: list[str] = Field(default_factory=list)
    """Fields of the item that may be changed before approval."""
    summary: list[str] = Field(default_factory=list)
    """Fields that are shown read-only as context; empty shows all."""
    options: list[str] = Field(default_factory=list)
    """Named choices (`next_step_options`); the chosen one is `decision.option`."""
    bundle: Bundle | None = None
    who: Who = Who()
    reminders: Reminders | None = None
    escalation: Escalation | None = None
    timeout_seconds: Seconds | None = Field(
        default=None,
        validation_alias=AliasChoices("timeout", "timeout_seconds"),
        serialization_alias="timeout",
    )
    on_timeout: Literal["emit", "approve", "reject", "escalate"] = "emit"
    """`emit` ends the step as timed out and emits the `on: timeout` events."""
    max_rejections: Annotated[int, Field(ge=1)] = 3
    """After so many revision rounds of one item a further revision is refused."""
    emits: list[HumanEmitEntry] = Field(default_factory=list)  # type: ignore[assignment]
