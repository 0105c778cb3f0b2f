"""OpenAI's own client, and an agent with an OpenAI model, against the mock in the OpenAI format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from tercet import AgentExecutor
from tercet.settings import Settings
from tercet.testing.mock_claude import Script
from tercet.testing.mock_openai import MockOpenAI

CALCULATOR: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "calculator",
        "description": "Calculates.",
        "parameters": {
            "type": "object",
            "properties": {"operation": {"type": "string"}, "a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["operation", "a"],
        },
    },
}


@pytest.fixture(scope="module")
def mock() -> Iterator[MockOpenAI]:
    with MockOpenAI() as server:
        yield server


@pytest.fixture
def client(mock: MockOpenAI) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="any", base_url=f"{mock.base_url}/v1", max_retries=0) as own:
        yield own


def test_create_answers_text_with_usage(client: openai.OpenAI):
    answer = client.chat.completions.create(
        model="gpt-6-luna", messages=[{"role": "user", "content": "Hello there"}]
    )

    assert "Hello there" in str(answer.choices[0].message.content)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0


def test_a_question_of_arithmetic_is_answered_through_the_calculator(client: openai.OpenAI):
    messages: list[Any] = [{"role": "user", "content": "What is 15 + 27?"}]
    first = client.chat.completions.create(model="gpt-6.1-terra", messages=messages, tools=[CALCULATOR])  # type: ignore[list-item]
    [call] = first.choices[0].message.tool_calls or []
    messages += [
        first.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call.id, "content": "42"},
    ]
    second = client.chat.completions.create(model="gpt-6.1-terra", messages=messages, tools=[CALCULATOR])  # type: ignore[list-item]

    assert first.choices[0].finish_reason == "tool_calls"
    assert "42" in str(second.choices[0].message.content)


def test_streaming_gives_the_same_text(client: openai.OpenAI):
    chunks = client.chat.completions.create(
        model="gpt-6-luna", messages=[{"role": "user", "content": "Say it in pieces, please, will you?"}], stream=True,
        stream_options={"include_usage": True},
    )  # fmt: skip
    pieces = list(chunks)

    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert "Say it in pieces" in text
    assert pieces[-1].usage is not None


def test_an_unknown_model_has_the_clients_error_class(client: openai.OpenAI):
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="gpt-none", messages=[{"role": "user", "content": "hi"}])


def test_a_scripted_429_carries_retry_after(tmp_path: Path):
    script = Script.model_validate({"rules": [{"reply": {"error": {"status": 429, "retry_after": 3}}}]})
    with (
        MockOpenAI(script) as mock,
        openai.OpenAI(api_key="k", base_url=f"{mock.base_url}/v1", max_retries=0) as client,
        pytest.raises(openai.RateLimitError) as caught,
    ):
        client.chat.completions.create(model="gpt-6-luna", messages=[{"role": "user", "content": "hi"}])

    assert caught.value.response.headers["retry-after"] == "3"


@pytest.mark.parametrize("model", ["openai:gpt-6.1-terra", "local:default"])
async def test_an_agent_runs_on_the_models_of_openai_and_on_local_ones(mock: MockOpenAI, model: str):
    settings = Settings(
        _env_file=None,
        openai_api_key="k",
        openai_base_url=f"{mock.base_url}/v1",
        local_base_url=f"{mock.base_url}/v1",
    )
    agent = AgentExecutor({"name": "Math", "tools": {"calculator": True}}, model, settings=settings)

    result = await agent.aexecute("What is 15 + 27?")

    assert "42" in result["response"]
    assert (result["cost_usd"] > 0) is model.startswith("openai")
