"""The vendor's own client works unchanged against the mock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import pytest

from tercet.testing.mock_claude import MockClaude, Script

SCRIPT = Script.model_validate(
    {
        "rules": [
            {
                "match": {"prompt_contains": "overload"},
                "reply": {"error": {"status": 529, "retry_after": 7}},
                "times": 1,
            },
            {"match": {"prompt_contains": "limit"}, "reply": {"error": {"status": 429, "retry_after": 3}}},
            {"match": {"prompt_contains": "boom"}, "reply": {"error": {"status": 500}}},
            {"match": {"prompt_contains": "scripted"}, "reply": {"text": "as written"}},
        ]
    }
)
HAIKU = "claude-haiku-5-5"
CALCULATOR = {"name": "calculator", "input_schema": {"type": "object"}}


@pytest.fixture(scope="module")
def mock() -> Iterator[MockClaude]:
    with MockClaude(SCRIPT) as running:
        yield running


@pytest.fixture
def client(mock: MockClaude) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="any", base_url=mock.base_url, max_retries=0) as made:
        yield made


def ask(client: anthropic.Anthropic, text: str, **options):
    return client.messages.create(
        **{"model": HAIKU, "max_tokens": 500, "messages": [{"role": "user", "content": text}], **options}
    )


def test_a_message_is_answered_and_the_same_request_gets_the_same_answer(client):
    first, second = ask(client, "Hello"), ask(client, "Hello")

    assert first.content[0].text == second.content[0].text
    assert first.id == second.id
    assert first.stop_reason == "end_turn"


def test_counted_tokens_are_the_tokens_of_the_usage(client):
    counted = client.messages.count_tokens(model=HAIKU, messages=[{"role": "user", "content": "Hello"}])

    assert ask(client, "Hello").usage.input_tokens == counted.input_tokens


def test_a_stream_adds_up_to_the_message(client):
    with client.messages.stream(
        model=HAIKU, max_tokens=500, messages=[{"role": "user", "content": "Hello"}]
    ) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()

    assert text == final.content[0].text == ask(client, "Hello").content[0].text


def test_arithmetic_calls_the_calculator_and_then_states_the_result(client):
    question = {"role": "user", "content": "What is 15 + 27?"}
    first = client.messages.create(model=HAIKU, max_tokens=500, messages=[question], tools=[CALCULATOR])
    call = first.content[-1]
    result = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": '{"success": true, "result": {"operation": "add", "result": 42}}',
    }
    second = client.messages.create(
        model=HAIKU, max_tokens=500, tools=[CALCULATOR],
        messages=[question, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}],
    )  # fmt: skip

    assert (first.stop_reason, call.input) == ("tool_use", {"operation": "add", "a": 15, "b": 27})
    assert "42" in second.content[-1].text


def test_a_script_answers_first(client):
    assert ask(client, "something scripted").content[0].text == "as written"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"model": "claude-nothing"}, anthropic.NotFoundError),
        ({"extra_body": {"temperature": 0.5}}, anthropic.BadRequestError),
        ({"extra_body": {"surprise": 1}}, anthropic.BadRequestError),
        ({"messages": [{"role": "assistant", "content": "prefill"}]}, anthropic.BadRequestError),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": ""}]}
                ]
            },
            anthropic.BadRequestError,
        ),
        ({"messages": [{"role": "user", "content": "please limit"}]}, anthropic.RateLimitError),
        ({"messages": [{"role": "user", "content": "boom"}]}, anthropic.InternalServerError),
    ],
)
def test_errors_are_the_vendors_classes(client, options, error):
    with pytest.raises(error) as caught:
        ask(client, "x", **options)

    assert caught.value.request_id.startswith("req_")


def test_the_client_retries_what_the_header_asks_for(mock, monkeypatch):
    monkeypatch.setattr(anthropic.Anthropic, "_sleep_for_retry", lambda _self, **_: None)
    with anthropic.Anthropic(api_key="any", base_url=mock.base_url, max_retries=1, timeout=30) as client:
        assert ask(client, "overload").stop_reason == "end_turn"


def test_a_key_is_required_in_either_header(mock):
    body = {"model": HAIKU, "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]}
    version = {"anthropic-version": "2026-10-21"}

    def status(headers: dict[str, str]) -> int:
        return httpx.post(
            f"{mock.base_url}/v1/messages", json=body, headers={**version, **headers}
        ).status_code

    assert status({}) == 401
    assert status({"x-api-key": "k"}) == 200
    assert status({"authorization": "Bearer k"}) == 200


def test_models_are_listed_and_shown(client):
    ids = [model.id for model in client.models.list()]

    assert HAIKU in ids
    assert client.models.retrieve(HAIKU).id == HAIKU


def test_a_script_with_an_unknown_key_is_refused(tmp_path):
    from tercet.testing.mock_claude import load_script

    path = tmp_path / "s.yaml"
    path.write_text("rules:\n  - mach: {}\n    reply: {text: x}\n")

    with pytest.raises(ValueError, match="mach"):
        load_script(path)


LONG = "Remember this sentence well. " * 400


def test_a_marked_prompt_is_written_to_the_cache_and_read_from_it(client):
    begun = [{"role": "user", "content": LONG}]
    more = [*begun, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And?"}]

    def ask(messages: list[Any]) -> Any:
        return client.messages.create(
            model="claude-haiku-5-5", max_tokens=50, cache_control={"type": "ephemeral"}, messages=messages
        ).usage

    first, second, third = ask(begun), ask(more), ask(more)

    assert (first.cache_creation_input_tokens > 2_000, first.cache_read_input_tokens) == (True, 0)
    assert second.cache_read_input_tokens >= first.cache_creation_input_tokens
    assert second.cache_creation_input_tokens < first.cache_creation_input_tokens
    assert (third.cache_creation_input_tokens, third.input_tokens) == (0, 0)


def test_thinking_that_was_changed_is_refused(client):
    import anthropic

    question = {"role": "user", "content": "Think."}
    first = client.messages.create(model="claude-opus-5-5", max_tokens=200, messages=[question])
    thinking = first.content[0]
    assert thinking.type == "thinking"
    changed = {**thinking.model_dump(), "thinking": "something else"}
    answered = {"role": "assistant", "content": [changed, {"type": "text", "text": "x"}]}
    with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
        client.messages.create(
            model="claude-opus-5-5",
            max_tokens=200,
            messages=[question, answered, {"role": "user", "content": "go on"}],
        )
