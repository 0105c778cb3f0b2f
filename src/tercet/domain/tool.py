"""What a tool is: a named function of the outside world with a schema for its arguments."""

from __future__ import annotations

from typing import Any, Protocol


class Tool(Protocol):
    """A tool of the registry. Entry points: group `tercet.tools`, each a function without arguments that returns one."""

    name: str
    description: str
    version: str
    input_schema: dict[str, Any]
    side_effects: bool
    """Whether a call changes the world; only tools without side effects may be cached."""

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        """Do it. The result is JSON-ready. Raises ToolFailed for a failure that the caller may see."""
        ...


class ToolFailed(Exception):
    """The tool could not do it; the message is fit for users and models."""
