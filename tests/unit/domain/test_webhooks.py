"""Signing and verifying by Standard Webhooks, judged by the standard's own library."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from tercet.domain.errors import InvalidInput, NotAuthenticated
from tercet.domain.notices import MOST_ATTEMPTS, retry_delay_seconds
from tercet.domain.webhooks import check_secret, new_secret, signed_headers, verify_incoming

SECRET = new_secret(lambda count: b"k" * count)
BODY = '{"type": "execution.failed", "title": "Größe"}'
NOW = 1_790_000_000


def headers(**changes: str) -> dict[str, str]:
    return {**signed_headers(SECRET, "msg_1", BODY, at_seconds=NOW), **changes}


def test_what_is_signed_verifies_with_the_library_of_the_standard():
    at_seconds = int(time.time())

    assert Webhook(SECRET).verify(BODY, signed_headers(SECRET, "msg_1", BODY, at_seconds=at_seconds))


@given(st.text(st.characters(codec="utf-8")), st.integers(-300, 300))
def test_a_message_verifies_within_five_minutes(body: str, seconds: int):
    signed = signed_headers(SECRET, "msg_1", body, at_seconds=NOW)

    assert verify_incoming(signed, body.encode(), SECRET, NOW + seconds) == "msg_1"


def test_header_names_count_in_any_case_and_one_good_signature_among_several_is_enough():
    good = headers()["webhook-signature"]
    given_headers = {
        name.title(): value
        for name, value in headers(**{"webhook-signature": f"v1,bm8= v1a,eA== {good}"}).items()
    }

    assert verify_incoming(given_headers, BODY.encode(), SECRET, NOW) == "msg_1"


@pytest.mark.parametrize("seconds", [-301, 301, 86_400])
def test_a_message_from_another_time_is_refused(seconds: int):
    with pytest.raises(NotAuthenticated, match="5 minutes"):
        verify_incoming(headers(), BODY.encode(), SECRET, NOW + seconds)


@pytest.mark.parametrize(
    ("changes", "body"),
    [
        ({}, BODY.encode() + b" "),
        ({}, b"\xff\xfe"),
        ({"webhook-id": "msg_2"}, BODY.encode()),
        ({"webhook-id": ""}, BODY.encode()),
        ({"webhook-id": "m" * 201}, BODY.encode()),
        ({"webhook-timestamp": str(NOW + 1)}, BODY.encode()),
        ({"webhook-timestamp": f"{NOW}.0"}, BODY.encode()),
        ({"webhook-timestamp": "٣"}, BODY.encode()),
        ({"webhook-signature": ""}, BODY.encode()),
        ({"webhook-signature": "v1,"}, BODY.encode()),
        ({"webhook-signature": "é"}, BODY.encode()),
    ],
)
def test_a_message_that_was_changed_is_refused(changes: dict[str, str], body: bytes):
    with pytest.raises(NotAuthenticated):
        verify_incoming(headers(**changes), body, SECRET, NOW)


@pytest.mark.parametrize(
    "secret",
    ["", "whsec_", "whsec_c2hvcnQ=", "whsec_äöü", SECRET.removeprefix("whsec_"), "whsec_" + "A" * 88],
)
def test_a_secret_that_is_weak_or_has_another_form_is_refused(secret: str):
    with pytest.raises(InvalidInput, match="24 to 64 bytes"):
        check_secret(secret)


def test_a_new_secret_is_accepted():
    assert check_secret(SECRET) == SECRET


def test_attempts_go_from_seconds_to_a_day_and_end():
    delays = [retry_delay_seconds(attempts, random=0.0) for attempts in range(1, MOST_ATTEMPTS + 1)]

    assert delays == [5, 25, 125, 625, 3_125, 15_625, 78_125, None]


@given(st.integers(1, 20), st.floats(0, 0.999), st.none() | st.floats(0, 1e12))
def test_a_delay_is_never_over_a_day_and_never_under_what_the_receiver_asks(
    attempts: int, random: float, asked: float | None
):
    delay = retry_delay_seconds(attempts, random=random, retry_after_seconds=asked)

    if delay is not None:
        assert min(asked or 0, 86_400) <= delay <= 86_400
