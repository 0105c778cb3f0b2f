"""AgentExecutor against scripted models: every way that a run can go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tercet import (
    AgentExecutor,
    ContextLengthExceededError,
    CostLimitExceededError,
    LLMModel,
    RateLimitExceededError,
    ToolBase,
    ToolExecutionError,
    ToolFailed,
    ToolNotFoundError,
)
from tercet.domain.errors import AgentFailed, InvalidInput
from tercet.settings import Settings
from tercet.testing.mock_claude import MockClaude, Script
from tercet.tools.audit import first_broken
from tercet.tools.guard import ToolCall
from tercet.tools.workspace import Workspace

MATH: dict[str, Any] = {"name": "Math", "tools": {"calculator": True}}


@contextmanager
def scripted(*rules: dict[str, Any]) -> Iterator[Settings]:
    with MockClaude(Script.model_validate({"rules": list(rules)})) as mock:
        yield Settings(_env_file=None, anthropic_api_key="k", anthropic_base_url=mock.base_url)


def tool_use(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "input": arguments}


class Echo(ToolBase):
    """Gives back what it gets; fails when asked to."""

    def __init__(self, **options: Any) -> None:
        super().__init__(name="echo", description="Echoes.", side_effects=False, **options)

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        if arguments.get("text") == "fail":
            raise ToolFailed("The echo is gone")
        return {"echo": arguments.get("text")}


class NeedyTool(ToolBase):
    """Cannot be made from a name alone."""

    def __init__(self, secret: str) -> None:
        super().__init__(name="needy", description=secret)


class FatalEcho(Echo):
    """Its failures end the run."""

    def __init__(self) -> None:
        super().__init__(fatal=True)


class LongEcho(Echo):
    """Its answers fill the conversation."""

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        return {"echo": arguments.get("text"), "words": "word " * 700}


ECHO: dict[str, Any] = {"name": "E", "tools": {"echo": True}, "custom_tools": {"echo": {"class": "Echo"}}}


def test_tools_of_one_turn_run_at_once_and_answer_in_call_order():
    calls = [tool_use("echo", text=str(number)) for number in range(5)]
    with scripted(
        {"match": {"turn": 0}, "reply": {"tool_use": calls}}, {"reply": {"text": "done"}}
    ) as settings:
        result = AgentExecutor(ECHO, "haiku", settings=settings).execute("go")

    assert [item["result"]["echo"] for item in result["tool_results"]] == ["0", "1", "2", "3", "4"]
    assert result["response"] == "done"


def test_a_failed_tool_is_told_to_the_model_which_goes_on():
    rules = (
        {"match": {"turn": 0}, "reply": {"tool_use": tool_use("echo", text="fail")}},
        {"match": {"tool_result_contains": "The echo is gone"}, "reply": {"text": "I saw the failure"}},
    )
    with scripted(*rules) as settings:
        result = AgentExecutor(ECHO, settings=settings).execute("go")

    assert result["response"] == "I saw the failure"
    assert (result["tool_results"][0]["success"], result["tool_results"][0]["code"]) == (False, "TOOL_ERROR")


def test_a_fatal_tool_ends_the_run():
    config = {**ECHO, "custom_tools": {"echo": {"class": "FatalEcho"}}}
    with scripted({"reply": {"tool_use": tool_use("echo", text="fail")}}) as settings:
        executor = AgentExecutor(config, settings=settings)
        with pytest.raises(ToolExecutionError, match="The echo is gone"):
            executor.execute("go")

    assert executor.state == "failed"


def test_a_tool_that_the_model_invents_is_refused_at_run_time():
    rules = (
        {"match": {"turn": 0}, "reply": {"tool_use": tool_use("teleport")}},
        {"match": {"tool_result_contains": "TOOL_NOT_FOUND"}, "reply": {"text": "sorry"}},
    )
    with scripted(*rules) as settings:
        assert AgentExecutor(MATH, settings=settings).execute("go")["response"] == "sorry"


@pytest.mark.parametrize(
    "config",
    [
        {"name": "x", "tools": {"teleport": True}},
        {"name": "x", "tools": {"odd": True}, "custom_tools": {"odd": {"class": "NoSuchClass"}}},
        {"name": "x", "tools": {"other": True}, "custom_tools": {"other": {"class": "Echo"}}},
        {"name": "x", "tools": {"Read": True}, "custom_tools": {"Read": {"class": "ReadTool"}}},
        {"name": "x", "tools": {"needy": True}, "custom_tools": {"needy": {"class": "NeedyTool"}}},
    ],
)
def test_an_unknown_tool_is_refused_when_the_agent_is_made(config: dict[str, Any]):
    with pytest.raises(ToolNotFoundError):
        AgentExecutor(config)


@pytest.mark.parametrize(
    "config", [{}, {"name": ""}, {"name": "x", "surprise": 1}, {"name": "x", "tools": ["calculator"]}, "x"]
)
def test_a_wrong_configuration_names_the_field(config: Any):
    with pytest.raises(InvalidInput):
        AgentExecutor(config)


def test_models_are_names_lines_retired_ids_and_any_provider():
    assert AgentExecutor(MATH, LLMModel.CLAUDE_SONNET_4).model.replacement == "claude-sonnet-5-5"  # type: ignore[union-attr]
    assert AgentExecutor(MATH, "mistral:large").model == "mistral:large"
    assert AgentExecutor(MATH, "local:qwen3").model == "local:qwen3"
    with pytest.raises(ValueError, match="invalid-model"):
        AgentExecutor(MATH, "invalid-model")


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 10}}, "required": ["n"]}


def test_an_answer_that_breaks_the_schema_is_corrected_once():
    rules = (
        {"match": {"prompt_contains": "breaks the output schema"}, "reply": {"json": {"n": 7}}},
        {"reply": {"json": {"n": 70}}},
    )
    with scripted(*rules) as settings:
        result = AgentExecutor({"name": "S", "output_schema": SCHEMA}, settings=settings).execute("a number")

    assert result["data"] == {"n": 7}


def test_a_second_answer_that_breaks_the_schema_fails_the_run():
    with scripted({"reply": {"text": "no json at all"}}) as settings, pytest.raises(AgentFailed) as caught:
        AgentExecutor({"name": "S", "output_schema": SCHEMA}, settings=settings).execute("a number")

    assert caught.value.code == "OUTPUT_INVALID"


def test_an_overloaded_model_is_followed_by_the_fallback():
    rules = (
        {"match": {"model": "claude-opus-5-5"}, "reply": {"error": {"status": 529}}},
        {"reply": {"text": "from below"}},
    )
    with scripted(*rules) as settings:
        config = {"name": "F", "model": "opus", "fallback_models": ["haiku"]}
        executor = AgentExecutor(config, settings=settings)
        result = executor.execute("hi")

    assert result["response"] == "from below"
    assert [entry["model"] for entry in executor.ledger.entries] == ["claude-opus-5-5", "claude-haiku-5-5"]


def test_a_rate_limit_that_passes_is_waited_for():
    rules = (
        {"match": {}, "times": 1, "reply": {"error": {"status": 429, "retry_after": 0.05}}},
        {"reply": {"text": "through"}},
    )
    with scripted(*rules) as settings:
        assert AgentExecutor({"name": "R"}, settings=settings).execute("hi")["response"] == "through"


def test_a_rate_limit_that_stays_is_raised():
    with scripted({"reply": {"error": {"status": 429, "retry_after": 0.01}}}) as settings:
        executor = AgentExecutor({"name": "R", "limits": {"max_retries": 0}}, settings=settings)
        with pytest.raises(RateLimitExceededError):
            executor.execute("hi")


def test_a_run_stops_before_the_call_that_its_limit_cannot_pay():
    loop = {"reply": {"tool_use": tool_use("echo", text="again and again")}}
    with scripted({"match": {"tool_result_contains": ""}, **loop}, loop) as settings:
        executor = AgentExecutor(
            {**ECHO, "limits": {"max_cost_usd": 0.02, "max_tokens": 500}}, "opus", settings=settings
        )
        with pytest.raises(CostLimitExceededError):
            executor.execute("go")

    spent = sum(entry["cost_usd"] for entry in executor.ledger.entries)
    assert 0 < spent <= 0.02


def test_a_model_without_a_price_is_over_budget_unless_allowed():
    with scripted() as settings:
        for model in ("anthropic:claude-unheard-of",):
            with pytest.raises(CostLimitExceededError):
                AgentExecutor({"name": "U"}, model, settings=settings).execute("hi")


def test_an_agent_that_repeats_itself_is_warned_and_then_stopped():
    loop = {"reply": {"tool_use": tool_use("echo", text="same")}}
    with scripted({"match": {"tool_result_contains": ""}, **loop}, loop) as settings:
        executor = AgentExecutor({**ECHO, "limits": {"max_turns": 50}}, settings=settings)
        with pytest.raises(AgentFailed) as caught:
            executor.execute("go")

    assert caught.value.code == "STUCK_LOOP"
    assert [entry["code"] for entry in executor.audit.entries] == [None, None, None, *["REPEATED_CALL"] * 3]


def test_the_turn_limit_ends_a_run_without_an_answer():
    loop = {"reply": {"tool_use": tool_use("calculator", operation="add", a=1, b=1)}}
    with (
        scripted({"match": {"tool_result_contains": ""}, **loop}, loop) as settings,
        pytest.raises(AgentFailed) as caught,
    ):
        AgentExecutor({**MATH, "limits": {"max_turns": 2}}, settings=settings).execute("go")

    assert caught.value.code == "TURN_LIMIT_REACHED"


def test_history_is_kept_up_to_its_limit():
    with scripted({"reply": {"text": "yes"}}) as settings:
        executor = AgentExecutor({"name": "H"}, settings=settings)
        for number in range(9):
            result = executor.execute(f"message {number}")

    assert len(result["conversation_history"]) == 12
    assert result["conversation_history"][-2] == {"role": "user", "content": "message 8"}


def test_a_long_conversation_loses_old_tool_results_before_anything_else():
    calls = [
        {"match": {"turn": turn}, "reply": {"tool_use": tool_use("echo", text=str(turn))}}
        for turn in range(4)
    ]
    config = {**ECHO, "custom_tools": {"echo": {"class": "LongEcho"}}, "limits": {"context_tokens": 3_500}}
    with scripted(*calls, {"reply": {"text": "done"}}) as settings:
        result = AgentExecutor(config, settings=settings).execute("go")

    assert (result["response"], result["flags"]) == ("done", ["compacted"])


def test_a_conversation_without_tool_results_is_summarised():
    summary = {
        "match": {"system_contains": "You summarise the beginning"},
        "reply": {"text": "They spoke of words."},
    }
    seen = {"match": {"prompt_contains": "They spoke of words."}, "reply": {"text": "I know the summary"}}
    with scripted(summary, seen, {"reply": {"text": "word " * 400}}) as settings:
        executor = AgentExecutor(
            {"name": "C", "limits": {"context_tokens": 1_200, "max_tokens": 1_000}}, settings=settings
        )
        results = [executor.execute(f"tell me more {number}") for number in range(4)]

    assert "compacted" in results[-1]["flags"]


def test_input_that_cannot_be_made_to_fit_is_refused():
    with scripted() as settings:
        executor = AgentExecutor({"name": "C", "limits": {"context_tokens": 1_000}}, settings=settings)
        with pytest.raises(ContextLengthExceededError):
            executor.execute("word " * 10_000)


def test_a_subagent_does_a_task_on_the_same_budget():
    delegated = tool_use("Task", subagent="helper", prompt="What is 15 + 27?")
    helper = {"name": "helper", "description": "helps", "tools": {"calculator": True}}
    rules = (
        {"match": {"tool": "Task", "turn": 0}, "reply": {"tool_use": delegated}},
        {"match": {"tool": "Task", "turn": 1}, "reply": {"text": "helper says {tool_result}"}},
    )
    with scripted(*rules) as settings:
        executor = AgentExecutor({"name": "Boss", "subagents": [helper]}, settings=settings)
        result = executor.execute("delegate")

    assert "42" in result["response"]
    assert len(executor.ledger.entries) == 4
    assert abs(result["cost_usd"] - sum(entry["cost_usd"] for entry in executor.ledger.entries)) < 1e-9


def test_thinking_goes_back_unchanged():
    with scripted() as settings:
        result = AgentExecutor(MATH, "opus", settings=settings).execute("What is 15 + 27?")

    assert "42" in result["response"]


def test_streaming_yields_text_and_tool_events_in_order_in_both_worlds():
    async def collect(executor: AgentExecutor) -> list[str]:
        return [event["type"] async for event in executor.stream("What is 15 + 27?")]

    with scripted() as settings:
        plain = [event["type"] for event in AgentExecutor(MATH, settings=settings).stream("What is 15 + 27?")]
        asynchronous = asyncio.run(collect(AgentExecutor(MATH, settings=settings)))

    for kinds in (plain, asynchronous):
        assert kinds[0] == "task.started"
        assert kinds[-1] == "task.completed"
        assert kinds.index("task.tool_use") < kinds.index("task.tool_result") < kinds.index("task.progress")


def test_a_call_that_needs_approval_asks_the_approver():
    config = {**MATH, "tools": {"calculator": {"requires_approval": True}}}
    asked = []

    def approve(call: ToolCall) -> bool:
        asked.append(call.arguments)
        return True

    with scripted() as settings:
        yes = AgentExecutor(config, settings=settings, approve=approve)
        no = AgentExecutor(config, settings=settings)
        assert "42" in yes.execute("What is 15 + 27?")["response"]
        refused = no.execute("What is 15 + 27?")

    assert asked == [{"operation": "add", "a": 15, "b": 27}]
    assert refused["tool_results"][0]["code"] == "APPROVAL_DENIED"


def test_every_call_leaves_an_entry_in_a_chain():
    with scripted() as settings:
        executor = AgentExecutor(MATH, settings=settings, security_context={"user_id": "ada"})
        executor.execute("What is (15 + 27) * 2?")

    assert [(entry["tool"], entry["user_id"]) for entry in executor.audit.entries] == [
        ("calculator", "ada")
    ] * 2
    assert first_broken(executor.audit.entries) is None


def test_files_live_in_the_workspace_that_is_given(tmp_path: Path):
    rules = (
        {
            "match": {"turn": 0},
            "reply": {"tool_use": tool_use("Write", file_path="notes/a.txt", content="hello")},
        },
        {"reply": {"text": "written"}},
    )
    with scripted(*rules) as settings:
        AgentExecutor(
            {"name": "W", "tools": {"Write": True}}, settings=settings, workspace=tmp_path / "ws"
        ).execute("go")

    assert Workspace(tmp_path / "ws").read("notes/a.txt") == b"hello"


def test_plain_calls_from_many_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    with scripted() as settings, ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda n: AgentExecutor(MATH, settings=settings).execute(f"What is {n} + 100?")["response"],
                range(16),
            )
        )

    assert [str(number + 100) in answer for number, answer in enumerate(answers)] == [True] * 16


def test_an_empty_input_is_refused():
    with pytest.raises(InvalidInput):
        AgentExecutor(MATH).execute("   ")
