"""What a tool is: a named function of the outside world with a schema for its arguments."""

from __future__ import annotations

from typing import Any, Protocol

DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_MAX_OUTPUT_BYTES = 100_000


class Tool(Protocol):
    """A tool of the registry. Entry points: group `tercet.tools`, each a function without arguments that returns one.

    `ToolBase` fills in all but the work. The guard (`tercet.tools.guard`) holds the limits.
    """

    name: str
    description: str
    version: str
    input_schema: dict[str, Any]
    side_effects: bool
    """Whether a call changes the world. Only tools without side effects are cached or run again after a crash."""
    idempotent: bool
    """Whether a call with side effects may be repeated with the same idempotency key."""
    requires_approval: bool
    """Whether a person has to approve each call."""
    fatal: bool
    """Whether a failure ends the run instead of going to the model."""
    timeout_seconds: float
    max_output_bytes: int
    cache_ttl_seconds: float
    """How long a result may be served again; 0 means never."""
    prose_fields: frozenset[str]
    """Arguments that people read (a mail's body): the scan for suspicious patterns leaves them alone."""

    @property
    def permission(self) -> str:
        """The permission that a caller needs: `tool:NAME`."""
        ...

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        """Return whether this very call has side effects; an HTTP GET has none."""
        ...

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        """Do it. The result is JSON-ready. Raises ToolFailed for a failure that the caller may see."""
        ...


class ToolFailed(Exception):
    """The tool could not do it; the message is fit for users and models."""
