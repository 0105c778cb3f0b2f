"""Retry, durations, ids, codec, models, prices, text: pure rules."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.domain.codec import digest, from_json, to_json
from tercet.domain.contract import ExecutorResult, Usage
from tercet.domain.duration import parse_seconds
from tercet.domain.ids import IdMint, event_id, first_id
from tercet.domain.models import parse_model
from tercet.domain.prices import Price, estimate_tokens, from_pico, price_usd, to_pico, verify_usage
from tercet.domain.retry import RetryPolicy, backoff_seconds
from tercet.domain.schema_check import schema_violation
from tercet.domain.text import decode_text

policies = st.builds(
    RetryPolicy,
    max_attempts=st.integers(1, 20),
    backoff=st.sampled_from(["exponential", "fixed"]),
    backoff_seconds=st.floats(0, 100),
    max_backoff_seconds=st.floats(0, 1000),
)


@given(policies, st.integers(1, 30), st.floats(0, 0.999))
def test_backoff_ends_with_the_last_attempt_and_stays_below_its_cap(policy, attempt, luck):
    delay = backoff_seconds(policy, attempt=attempt, random=luck)

    if attempt >= policy.max_attempts:
        assert delay is None
    else:
        assert delay is not None
        cap = policy.backoff_seconds if policy.backoff == "fixed" else policy.max_backoff_seconds
        assert 0 <= delay <= cap


def test_backoff_waits_at_least_as_long_as_the_provider_asks():
    policy = RetryPolicy(max_attempts=3, backoff_seconds=1)

    assert backoff_seconds(policy, attempt=1, random=0.0, retry_after_seconds=42) == 42


@pytest.mark.parametrize(
    ("written", "attempts", "backoff"),
    [
        ({"max_attempts": 3, "backoff": "exponential"}, 3, "exponential"),
        ({"max_attempts": 3, "backoff_seconds": 300}, 3, "fixed"),
        (2, 3, "exponential"),
    ],
)
def test_retry_policy_accepts_the_forms_of_the_specs(written, attempts, backoff):
    policy = RetryPolicy.model_validate(written)

    assert (policy.max_attempts, policy.backoff) == (attempts, backoff)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("250ms", 0.25),
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("3d", 259_200),
        (12, 12),
        (0.5, 0.5),
        ("2w", 1_209_600),
    ],
)
def test_a_duration_is_read_as_people_write_it(text, seconds):
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "5", "-5s", "5 s m", "1e9d", -1, True, None, [], "٣s5", "999999d"]
)
def test_a_duration_is_refused_when_it_is_none(text):
    with pytest.raises(ValueError, match="duration"):
        parse_seconds(text)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=200))
def test_ids_sort_by_time_also_when_the_clock_stands_or_steps_back(steps):
    now = [1_000_000]
    rng = random.Random(1)
    mint = IdMint(now_ms=lambda: now[0], random_bytes=rng.randbytes)
    ids = []
    for step in steps:
        now[0] += step - 2
        ids.append(mint.mint("exe"))

    assert ids == sorted(set(ids))
    assert {len(one) for one in ids} == {30}


@given(st.integers(0, 2**47), st.integers(1, 10_000))
def test_the_first_id_of_a_time_parts_what_was_minted_before_from_the_rest(now_ms, later_ms):
    before = IdMint(now_ms=lambda: now_ms, random_bytes=lambda n: b"\xff" * n).mint("exe")
    after = IdMint(now_ms=lambda: now_ms + later_ms, random_bytes=lambda n: b"\0" * n).mint("exe")

    assert before < first_id("exe", now_ms + later_ms) <= after


def test_an_event_id_names_its_execution_and_number():
    assert event_id("exe_01ABC", 7) == "evt_01ABC_7"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_json_comes_back_as_it_went(value):
    assert from_json(to_json(value)) == value


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5), st.integers(-9, 9), max_size=6
    )
)
def test_a_digest_does_not_depend_on_the_order_of_keys(value):
    assert digest(value) == digest(dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("haiku", "anthropic", "claude-haiku-5-5"),
        ("claude-opus-5-5", "anthropic", "claude-opus-5-5"),
        ("gpt-4.1-mini", "openai", "gpt-4.1-mini"),
        ("local:llama", "local", "llama"),
        ("anthropic:sonnet", "anthropic", "claude-sonnet-5-5"),
    ],
)
def test_a_model_name_says_its_provider(text, provider, name):
    ref = parse_model(text)

    assert (ref.provider, ref.name) == (provider, name)


def _usage(tokens_input: int, tokens_output: int) -> Usage:
    return Usage(
        tokens_input=tokens_input, tokens_output=tokens_output, total_tokens=tokens_input + tokens_output
    )


@pytest.mark.parametrize(
    ("model", "tokens", "usd"),
    [
        ("claude-haiku-5-5", (50_000, 1_000), "0.0055"),
        ("claude-haiku-5-5", (200_000, 1_000), "0.1025"),
        ("sonnet", (1_000_000, 0), "2"),
    ],
)
def test_prices_are_those_of_the_provider_tiers_included(model, tokens, usd):
    assert price_usd(model, _usage(*tokens)) == Decimal(usd)


@pytest.mark.parametrize("model", ["local:gpt-oss-20b", "claude-unknown-9", "nonsense"])
def test_a_model_without_a_price_is_unpriced_and_not_free(model):
    assert price_usd(model, _usage(1, 1)) is None


@given(st.decimals(0, 1000, places=12))
def test_picodollars_keep_every_digit(amount):
    assert from_pico(to_pico(amount)) == amount


def test_usage_is_verified_and_the_recomputed_price_counts():
    usage = Usage(tokens_input=1000, tokens_output=10, total_tokens=5, estimated_cost=Decimal(9))
    result = ExecutorResult(status="success", result={}, usage=usage, model_used="claude-sonnet-5-5")

    verified = verify_usage(result)

    assert verified.flags == ("sum_mismatch", "cost_mismatch")
    assert verified.cost_usd == Decimal("0.0021")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Åse".encode(), ("Åse", "utf-8")),
        (b"\xef\xbb\xbfx", ("x", "utf-8")),
        ("Åse".encode("cp1252"), ("Åse", "cp1252")),
    ],
)
def test_text_is_decoded(raw, expected):
    assert decode_text(raw) == expected


@given(st.binary(max_size=300))
def test_decoding_never_raises(raw):
    decode_text(raw)


@pytest.mark.parametrize(("text", "least"), [("word " * 100, 125), ("你好" * 100, 200), ("🙂" * 100, 200)])
def test_an_estimate_of_tokens_is_an_upper_one_in_every_script(text, least):
    assert estimate_tokens(text) >= least


def test_an_override_holds_under_every_name_of_its_model():
    free = {"claude-haiku-5-5": Price(input_usd=Decimal(0), output_usd=Decimal(0))}

    assert price_usd("haiku", _usage(1000, 1000), free) == 0


def test_a_schema_that_refers_to_an_address_is_refused_without_a_request():
    # Port 9 would answer "connection refused"; the words say that nothing was tried.
    with pytest.raises(ValueError, match="Retrieval is disabled"):
        schema_violation({"$ref": "http://127.0.0.1:9/schema.json"}, {})
