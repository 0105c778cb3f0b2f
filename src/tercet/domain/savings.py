"""What could cost less: a cheaper model, or prompt caching; each proposal carries its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tercet.domain.contract import Usage
from tercet.domain.models import parse_model
from tercet.domain.prices import Overrides, price_usd

_LADDERS = (
    ("claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"),
    ("gpt-6-astra", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-luna"),
)
"""Dearest first; a model of a line counts as the newest of its line."""
_LINES = ("fable", "mythos", "opus", "sonnet", "haiku")
_LEAST_PERCENT = 10
_LEAST_USD = Decimal("0.0001")
_SIMPLE_OUTPUT_TOKENS = 1_500
"""An agent that answers with more than this on average is not proposed a smaller model."""
_LEAST_CACHED_TOKENS = 1_024
"""Shorter beginnings are not cached by the providers."""


@dataclass(frozen=True, kw_only=True)
class UsageLine:
    """What one agent used of one model."""

    agent: str
    model: str
    calls: int
    tokens_input: int
    tokens_output: int
    cache_read_tokens: int
    cache_write_tokens: int
    repeated_tokens: int
    """Input that an earlier call of the same task had sent already."""
    cost_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A proposal."""

    kind: str
    """cheaper_model or prompt_caching."""
    agent: str
    model: str
    proposal: str
    current_usd: Decimal
    estimated_usd: Decimal
    numbers: dict[str, Any]
    caution: str

    @property
    def saving_usd(self) -> Decimal:
        """What it would have saved."""
        return self.current_usd - self.estimated_usd

    def to_wire(self) -> dict[str, Any]:
        """Return it as JSON."""
        percent = self.saving_usd / self.current_usd * 100 if self.current_usd else Decimal(0)
        return {
            "kind": self.kind,
            "agent": self.agent,
            "model": self.model,
            "proposal": self.proposal,
            "current_usd": float(self.current_usd),
            "estimated_usd": float(self.estimated_usd),
            "saving_usd": float(self.saving_usd),
            "saving_percent": round(float(percent), 1),
            "numbers": self.numbers,
            "caution": self.caution,
        }


def suggest_savings(lines: Iterable[UsageLine], overrides: Overrides | None = None) -> list[Suggestion]:
    """Return proposals, the largest saving first."""
    found = [
        suggestion
        for line in lines
        for suggestion in (_cheaper_model(line, overrides), _caching(line, overrides))
        if suggestion is not None
    ]
    return sorted(found, key=lambda suggestion: -suggestion.saving_usd)


def _cheaper_model(line: UsageLine, overrides: Overrides | None) -> Suggestion | None:
    cheaper = next_cheaper(line.model)
    mean_output = line.tokens_output / line.calls if line.calls else 0
    if cheaper is None or mean_output > _SIMPLE_OUTPUT_TOKENS:
        return None
    calls = max(line.calls, 1)
    # Prices may depend on the length of a prompt, so one mean call is priced and multiplied.
    one = Usage(
        tokens_input=line.tokens_input // calls, tokens_output=line.tokens_output // calls,
        cache_read_tokens=line.cache_read_tokens // calls, cache_write_tokens=line.cache_write_tokens // calls,
    )  # fmt: skip
    price = price_usd(cheaper, one, overrides)
    if price is None:
        return None
    return _worth(
        Suggestion(
            kind="cheaper_model", agent=line.agent, model=line.model, proposal=f"use {cheaper}",
            current_usd=line.cost_usd, estimated_usd=price * calls,
            numbers={
                "calls": line.calls, "tokens_input": line.tokens_input, "tokens_output": line.tokens_output,
                "mean_tokens_output": round(mean_output, 1), "cheaper_model": cheaper,
            },
            caution="the same tokens at the other model's price; try the quality on a sample first",
        )
    )  # fmt: skip


def _caching(line: UsageLine, overrides: Overrides | None) -> Suggestion | None:
    if line.cache_read_tokens or line.repeated_tokens < _LEAST_CACHED_TOKENS or not line.calls:
        return None
    first_sent = line.tokens_input - line.repeated_tokens
    calls = line.calls
    now = price_usd(
        line.model,
        Usage(tokens_input=line.tokens_input // calls, tokens_output=line.tokens_output // calls),
        overrides,
    )
    cached = price_usd(
        line.model,
        Usage(
            tokens_input=line.tokens_input // calls, tokens_output=line.tokens_output // calls,
            cache_read_tokens=line.repeated_tokens // calls, cache_write_tokens=first_sent // calls,
        ),
        overrides,
    )  # fmt: skip
    if now is None or cached is None or not now:
        return None
    return _worth(
        Suggestion(
            kind="prompt_caching", agent=line.agent, model=line.model, proposal="cache the beginning of the prompt",
            current_usd=line.cost_usd, estimated_usd=line.cost_usd * cached / now,
            numbers={
                "calls": calls, "tokens_input": line.tokens_input, "repeated_tokens": line.repeated_tokens,
                "repeated_percent": round(100 * line.repeated_tokens / max(line.tokens_input, 1), 1),
            },
            caution="assumes that calls of a task follow each other within the cache's life",
        )
    )  # fmt: skip


def _worth(suggestion: Suggestion) -> Suggestion | None:
    if (
        suggestion.saving_usd < _LEAST_USD
        or suggestion.saving_usd * 100 < suggestion.current_usd * _LEAST_PERCENT
    ):
        return None
    return suggestion


def next_cheaper(model: str) -> str | None:
    """Return the next cheaper model of the same provider, or None."""
    try:
        name = parse_model(model).name
    except ValueError:
        return None
    for ladder in _LADDERS:
        if name in ladder[:-1]:
            return ladder[ladder.index(name) + 1]
    line = next((line for line in _LINES if name.startswith(f"claude-{line}")), None)
    newest = {"mythos": 0, "fable": 0, "opus": 1, "sonnet": 2}.get(line or "")
    return None if newest is None else _LADDERS[0][newest + 1]
