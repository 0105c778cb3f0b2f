"""Proposals of what would cost less: only with numbers, only where it is worth it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.domain.contract import Usage
from tercet.domain.prices import _calculated, price_usd
from tercet.domain.savings import UsageLine, next_cheaper, suggest_savings


def line(**fields: Any) -> UsageLine:
    base: dict[str, Any] = {
        "agent": "a", "model": "claude-opus-5-5", "calls": 10, "tokens_input": 100_000, "tokens_output": 2_000,
        "cache_read_tokens": 0, "cache_write_tokens": 0, "repeated_tokens": 0,
    }  # fmt: skip
    base |= fields
    usage = Usage(
        tokens_input=base["tokens_input"], tokens_output=base["tokens_output"], cache_read_tokens=base["cache_read_tokens"],
    )  # fmt: skip
    return UsageLine(**base, cost_usd=price_usd(base["model"], usage) or Decimal(0))


def test_short_answers_of_a_dear_model_are_proposed_the_next_cheaper_one():
    [found] = suggest_savings([line()])

    assert (found.kind, found.proposal) == ("cheaper_model", "use claude-sonnet-5-5")
    assert found.estimated_usd == found.current_usd / 2
    assert found.to_wire()["saving_percent"] == 50.0
    assert found.numbers["calls"] == 10


def test_a_beginning_that_is_sent_again_is_proposed_a_cache():
    found = suggest_savings([line(model="claude-haiku-5-5", repeated_tokens=80_000)])

    assert [suggestion.kind for suggestion in found] == ["prompt_caching"]
    assert found[0].estimated_usd < found[0].current_usd
    assert found[0].numbers["repeated_percent"] == 80.0


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "claude-haiku-5-5"},
        {"tokens_output": 100_000, "calls": 10},
        {"model": "claude-haiku-5-5", "repeated_tokens": 80_000, "cache_read_tokens": 50_000},
        {"model": "local:qwen"},
    ],
)
def test_nothing_is_proposed_where_nothing_is_won(fields: dict[str, Any]):
    assert suggest_savings([line(**fields)]) == []


def test_the_ladders_end_at_the_cheapest():
    assert next_cheaper("opus") == "claude-sonnet-5-5"
    assert next_cheaper("claude-sonnet-4-20250514") == "claude-haiku-5-5"
    assert next_cheaper("claude-opus-4-8") == "claude-sonnet-5-5"
    assert next_cheaper("haiku") is None
    assert next_cheaper("gpt-6.1-sol") == "gpt-6.1-terra"
    assert next_cheaper("nonsense") is None


PRICED = (
    ("anthropic", "claude-haiku-5-5"),
    ("anthropic", "claude-sonnet-5-5"),
    ("openai", "gpt-6.1-terra"),
    ("openai", "gpt-5-mini"),
)


@given(
    model=st.sampled_from(PRICED),
    fresh=st.integers(0, 400_000),
    read=st.integers(0, 50_000),
    output=st.integers(0, 10_000),
)
def test_the_quick_price_is_the_price_of_the_price_list(
    model: tuple[str, str], fresh: int, read: int, output: int
):
    usage = Usage(
        tokens_input=fresh + read,
        tokens_output=output,
        total_tokens=fresh + read + output,
        cache_read_tokens=read,
    )

    assert price_usd(f"{model[0]}:{model[1]}", usage) == _calculated(*model, usage)
