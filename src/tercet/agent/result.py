"""What a run gave, and what it used."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tercet.agent.conversation import Message
from tercet.domain.contract import ExecutorResult


@dataclass(kw_only=True)
class RunResult:
    """Filled while the run goes on; what was used stands in it even when the run fails."""

    response: str = ""
    data: Any = None
    """The answer as JSON, when the agent has an output schema."""
    tool_results: list[dict[str, Any]] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    """The whole conversation, as far as it was not compacted away."""
    tokens_input: int = 0
    tokens_output: int = 0
    cost_usd: Decimal = Decimal(0)
    turns: int = 0
    model_used: str | None = None
    flags: list[str] = field(default_factory=list)
    """unpriced, truncated, compacted."""

    @property
    def tokens_used(self) -> int:
        """All tokens, read and written."""
        return self.tokens_input + self.tokens_output

    def flag(self, name: str) -> None:
        """Note something about the run, once."""
        if name not in self.flags:
            self.flags.append(name)

    def count(self, answer: ExecutorResult) -> None:
        """Add what a call used."""
        self.model_used = answer.model_used or self.model_used
        if answer.usage is None:
            return
        self.tokens_input += answer.usage.tokens_input
        self.tokens_output += answer.usage.tokens_output
        self.cost_usd += answer.usage.estimated_cost
        if answer.usage.unpriced:
            self.flag("unpriced")

    def absorb(self, other: RunResult) -> None:
        """Add what a sub-agent used."""
        self.tokens_input += other.tokens_input
        self.tokens_output += other.tokens_output
        self.cost_usd += other.cost_usd
        for name in other.flags:
            self.flag(name)
