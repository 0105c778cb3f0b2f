"""Who calls a tool, and what this caller may do (spec 3, Security Context)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PositiveInt


class SecurityContext(BaseModel):
    """`{user_id, organization_id, permissions, rate_limit, sandbox}`; what is left out is not limited."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str = ""
    organization_id: str = ""
    permissions: frozenset[str] | None = None
    """`tool:NAME` or `tool:*`; None allows the tools that the agent has."""
    rate_limit: dict[str, PositiveInt] = Field(default_factory=dict)
    """Calls a minute, by tool."""
    sandbox: bool = True
    """False lifts the scan for suspicious patterns; every other rule holds."""

    @property
    def owner(self) -> str:
        """Whose limits and whose cache it is."""
        return f"{self.organization_id}/{self.user_id}"

    def allows(self, permission: str) -> bool:
        """Return whether the caller has the permission."""
        return self.permissions is None or permission in self.permissions or "tool:*" in self.permissions

    @classmethod
    def of(cls, value: SecurityContext | dict[str, Any] | None) -> SecurityContext:
        """Read what a caller gives. Raises ValidationError."""
        return value if isinstance(value, SecurityContext) else cls.model_validate(value or {})
