"""What a node gives its chats."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from tercet.agent.task import AgentServices
from tercet.chat.library import TemplateLibrary
from tercet.chat.policy import Limits
from tercet.domain.tool import Tool
from tercet.humans.rows import Locks


@dataclass(kw_only=True)
class ChatServices:
    """Shared by all turns."""

    agents: AgentServices
    """The model, the tools, the audit and the feed are the same as the agents'."""
    library: TemplateLibrary
    limits: Limits = field(default_factory=Limits)
    decider: Literal["model", "rules"] = "rules"
    decider_model: str = "haiku"
    turn_usd: Decimal | None = None
    """What a turn may cost before a person is asked."""
    approval_seconds: float = 86_400.0
    note: str | None = None
    """What has to be said wherever a model's answer is shown: that it is a mock's."""
    locks: Locks = field(default_factory=Locks)

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools that a chat may call: those that need no workspace."""
        return self.agents.catalog.shared
