"""What tokens cost, from genai-prices with an override table; and the check of what an executor reports."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tercet.domain.contract import ExecutorResult, Usage
from tercet.domain.models import parse_model

PICO = 10**12
"""Picodollars in a dollar: the ledger's unit, so that sums are exact."""
_MILLION = Decimal(1_000_000)
_TOLERANCE = Decimal("0.000001")
_CHARACTERS_A_TOKEN = 3
_RATES_LIVE_SECONDS = 3_600
_NO_TIER = 1 << 62


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """An override, in US dollars per million tokens."""

    input_usd: Decimal
    output_usd: Decimal


Overrides = Mapping[str, Price]
"""By `provider:model` or bare name."""


def price_usd(model: str, usage: Usage, overrides: Overrides | None = None) -> Decimal | None:
    """Return what the usage costs, or None when no price is known."""
    override = _override(model, overrides or {})
    if override is not None:
        return (
            usage.tokens_input * override.input_usd + usage.tokens_output * override.output_usd
        ) / _MILLION
    try:
        ref = parse_model(model)
    except ValueError:
        return None
    if ref.provider == "local":
        return None
    rates = _rates(ref.provider, ref.name, int(time.monotonic() // _RATES_LIVE_SECONDS))
    if rates is not None and usage.tokens_input < rates.below_tokens:
        return rates.price(usage)
    return _calculated(ref.provider, ref.name, usage)


def _calculated(provider: str, name: str, usage: Usage) -> Decimal | None:
    """Ask genai-prices."""
    import genai_prices

    try:
        calculation = genai_prices.calc_price(
            genai_prices.Usage(
                input_tokens=usage.tokens_input,
                output_tokens=usage.tokens_output,
                cache_read_tokens=usage.cache_read_tokens,
                cache_write_tokens=usage.cache_write_tokens,
            ),
            name,
            provider_id=provider,
        )
    except (LookupError, ValueError):
        return None
    return calculation.total_price


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rates:
    """A model's prices for prompts below its first tier, where the price is a plain sum."""

    below_tokens: int
    input_usd: Decimal
    output_usd: Decimal
    cache_read_usd: Decimal
    cache_write_usd: Decimal

    def price(self, usage: Usage) -> Decimal:
        fresh = usage.tokens_input - usage.cache_read_tokens - usage.cache_write_tokens
        return (
            fresh * self.input_usd
            + usage.cache_read_tokens * self.cache_read_usd
            + usage.cache_write_tokens * self.cache_write_usd
            + usage.tokens_output * self.output_usd
        ) / _MILLION


@lru_cache(maxsize=256)
def _rates(provider: str, name: str, _hour: int) -> _Rates | None:
    """Read a model's rates out of genai-prices, or None where its price is no plain sum.

    A calculation there costs as much as a commit; some prices change with the hour, so rates live an hour.
    """
    import genai_prices

    try:
        probe = genai_prices.Usage(input_tokens=3, output_tokens=1, cache_read_tokens=1, cache_write_tokens=1)
        prices = genai_prices.calc_price(probe, name, provider_id=provider).model_price
    except (LookupError, ValueError):
        return None
    base: list[Decimal] = []
    below = _NO_TIER
    for field in ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"):
        value = getattr(prices, field, None)
        for tier in getattr(value, "tiers", ()):
            below = min(below, tier.start)
        value = getattr(value, "base", value)
        if not isinstance(value, Decimal):
            return None
        base.append(value)
    rates = _Rates(
        below_tokens=below,
        input_usd=base[0],
        output_usd=base[1],
        cache_read_usd=base[2],
        cache_write_usd=base[3],
    )
    check = Usage(
        tokens_input=900, tokens_output=70, total_tokens=970, cache_read_tokens=300, cache_write_tokens=200
    )
    return rates if rates.price(check) == _calculated(provider, name, check) else None


def _override(model: str, overrides: Overrides) -> Price | None:
    """Find the price under any of the model's names, so that `haiku` costs what `claude-haiku-5-5` costs."""
    if not overrides or model in overrides:
        return overrides.get(model)
    try:
        ref = parse_model(model)
    except ValueError:
        return None
    return overrides.get(str(ref)) or overrides.get(f"{ref.provider}:{ref.name}")


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of how many tokens a text has, without asking the provider.

    Three characters a token for ASCII; beyond it, tokens follow the bytes: a Chinese character has up to two.
    """
    if text.isascii():
        return len(text) // _CHARACTERS_A_TOKEN + 16
    size_bytes = len(text.encode("utf-8", "surrogatepass"))
    ascii_characters = len(text.encode("ascii", "ignore"))
    return ascii_characters // _CHARACTERS_A_TOKEN + (size_bytes - ascii_characters) * 2 // 3 + 16


def estimate_usd(
    model: str, *, tokens_input: int, max_tokens: int, overrides: Overrides | None = None
) -> Decimal | None:
    """Return the most that a call can cost, or None when no price is known."""
    usage = Usage(tokens_input=tokens_input, tokens_output=max_tokens, total_tokens=tokens_input + max_tokens)
    return price_usd(model, usage, overrides)


def to_pico(cost_usd: Decimal) -> int:
    """Return whole picodollars."""
    return int((cost_usd * PICO).to_integral_value())


def from_pico(cost_picousd: int) -> Decimal:
    """Return US dollars."""
    return Decimal(cost_picousd) / PICO


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifiedUsage:
    """What the engine books, and how it differs from what the executor said (spec 1: trusts but verifies)."""

    cost_usd: Decimal
    flags: tuple[str, ...]


def verify_usage(result: ExecutorResult, overrides: Overrides | None = None) -> VerifiedUsage:
    """Check the sums and recompute the price. The recomputed price is what counts."""
    usage = result.usage
    if usage is None:
        return VerifiedUsage(cost_usd=Decimal(0), flags=())
    flags: list[str] = []
    if usage.total_tokens != usage.tokens_input + usage.tokens_output:
        flags.append("sum_mismatch")
    if usage.cache_read_tokens + usage.cache_write_tokens > usage.tokens_input:
        flags.append("cache_mismatch")
    if result.model_used is None or usage.total_tokens == 0:
        return VerifiedUsage(cost_usd=usage.estimated_cost, flags=tuple(flags))
    recomputed = price_usd(result.model_used, usage, overrides)
    if recomputed is None:
        return VerifiedUsage(cost_usd=usage.estimated_cost, flags=(*flags, "unpriced"))
    if abs(recomputed - usage.estimated_cost) > max(_TOLERANCE, recomputed / 1000):
        flags.append("cost_mismatch")
    return VerifiedUsage(cost_usd=recomputed, flags=tuple(flags))
