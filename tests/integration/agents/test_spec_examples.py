"""The snippets of spec 3, as they stand there but for the import prefix."""

# mypy: disable-error-code="no-untyped-call, type-arg, var-annotated"
# ruff: noqa: G004, RET504, T201

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tercet.testing.mock_claude import MockClaude


@pytest.fixture(autouse=True)
def _mock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The snippets find a model through the environment, as a user's program does."""
    import tercet.agent_executor as module

    monkeypatch.chdir(tmp_path)
    with MockClaude() as mock:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", mock.base_url)
        module._default_source.cache_clear()
        yield
    module._default_source.cache_clear()


# --- Basic Usage


def test_basic_usage(capsys: pytest.CaptureFixture[str]):
    from tercet.agent_executor import AgentExecutor, LLMModel

    # Create agent configuration
    agent_config = {
        "name": "Math Assistant",
        "role": "math expert",
        "instructions": "You are a math expert. Use the calculator tool for arithmetic operations.",
        "tools": {"calculator": True},
        "custom_tools": {},
    }

    # Initialize executor
    executor = AgentExecutor(agent_config, LLMModel.CLAUDE_SONNET_4)

    # Execute agent
    result = executor.execute("What is 15 + 27?")

    print(f"Result: {result['response']}")
    print(f"Tokens used: {result['tokens_used']}")
    print(f"Cost: ${result['cost_usd']:.4f}")

    assert "42" in capsys.readouterr().out
    assert set(result) == {
        "response",
        "tool_results",
        "conversation_history",
        "tokens_used",
        "cost_usd",
        "state",
    }
    assert (result["state"], executor.state) == ("completed", "completed")
    assert result["tokens_used"] > 0
    assert result["cost_usd"] > 0


# --- Creating Custom Tools


def test_creating_custom_tools():
    from tercet import AgentExecutor
    from tercet.agent_executor import ToolBase

    class CustomTool(ToolBase):
        def __init__(self):
            super().__init__(
                name="custom_tool",
                description="Custom tool description"
            )  # fmt: skip

        def _execute_impl(self, arguments: dict) -> Any:
            # Implement tool logic here
            return {"result": "success"}

    # Add to agent configuration
    agent_config = {
        "name": "Custom Agent",
        "tools": {"custom_tool": True},
        "custom_tools": {"custom_tool": {"class": "CustomTool", "enabled": True}},
    }

    executor = AgentExecutor(agent_config)
    result = executor.execute("Use the custom_tool tool, please.")

    assert CustomTool().execute({}) == {"success": True, "result": {"result": "success"}}
    assert result["tool_results"][0]["result"] == {"result": "success"}


# --- Rate Limiting, Domain Whitelisting, Security Context


def test_rate_limiting_domain_whitelisting_and_security_context():
    from tercet.agent_executor import AgentExecutor, ToolSandbox

    sandbox = ToolSandbox()
    sandbox.set_rate_limit("calculator", max_calls=100, window_seconds=60)
    sandbox.set_rate_limit("http_request", max_calls=50, window_seconds=60)
    sandbox.add_allowed_domain("api.example.com")
    sandbox.add_allowed_domain("jsonplaceholder.typicode.com")

    security_context = {
        "user_id": "user-uuid",
        "organization_id": "org-uuid",
        "permissions": ["tool:calculator", "tool:http_request"],
        "rate_limit": {"calculator": 100, "http_request": 50},
        "sandbox": True,
    }

    executor = AgentExecutor(
        {"name": "A", "tools": {"calculator": True}}, sandbox=sandbox, security_context=security_context
    )
    assert "42" in executor.execute("What is 40 + 2?")["response"]
    assert sandbox.limit_of("http_request") == (50, 60)
    assert sandbox.allowed_domains == {"api.example.com", "jsonplaceholder.typicode.com"}


# --- Concurrency


def test_concurrency():
    from tercet.agent_executor import AgentExecutor, LLMModel

    config1, config2, config3 = ({"name": f"Agent {number}"} for number in (1, 2, 3))

    async def execute_agents_concurrently():
        agent_configs = [config1, config2, config3]

        tasks = []
        for config in agent_configs:
            executor = AgentExecutor(config, LLMModel.CLAUDE_SONNET_4)
            task = asyncio.create_task(executor.execute("Concurrent test"))
            tasks.append(task)

        results = await asyncio.gather(*tasks)
        return results

    results = asyncio.run(execute_agents_concurrently())

    assert [result["state"] for result in results] == ["completed"] * 3


# --- Caching Strategy


def test_caching_strategy():
    from cachetools import TTLCache

    from tercet.tools.calculator import CalculatorTool

    tool, calls = CalculatorTool(), []

    def execute_tool(tool_name, arguments):
        calls.append(tool_name)
        return tool.execute(arguments)

    # Cache for tool results
    cache = TTLCache(maxsize=1000, ttl=3600)

    def get_cached_tool_result(tool_name, arguments):
        key = f"{tool_name}:{json.dumps(arguments)}"
        if key in cache:
            return cache[key]

        result = execute_tool(tool_name, arguments)
        cache[key] = result
        return result

    arguments = {"operation": "add", "a": 1, "b": 2}
    assert get_cached_tool_result("calculator", arguments) == get_cached_tool_result("calculator", arguments)
    assert calls == ["calculator"]


# --- Unit Tests


def test_agent_executor_initialization():
    from tercet.agent_executor import AgentExecutor, LLMModel

    agent_config = {
        "name": "Test Agent",
        "role": "test assistant",
        "instructions": "Help the user with their request.",
        "tools": {"calculator": True},
        "custom_tools": {},
    }

    executor = AgentExecutor(agent_config, LLMModel.CLAUDE_SONNET_4)
    assert executor.model == LLMModel.CLAUDE_SONNET_4
    assert len(executor.tools) == 1
    assert executor.state == "pending"


# --- Logging


def test_logging(caplog: pytest.LogCaptureFixture):
    from tercet.agent_executor import AgentExecutor, LLMModel

    logging.basicConfig(level=logging.INFO)
    logger = logging.getLogger(__name__)

    executor = AgentExecutor({"name": "Logger"}, LLMModel.CLAUDE_SONNET_4)
    with caplog.at_level(logging.INFO):
        result = executor.execute("Test")

        logger.info(f"Execution completed: {result['state']}")
        logger.info(f"Tokens used: {result['tokens_used']}")
        logger.info(f"Cost: ${result['cost_usd']:.4f}")

    assert "Execution completed: completed" in caplog.text


# --- Names of the specification


def test_public_names_are_where_the_spec_and_the_issue_say():
    import tercet
    from tercet.tools.email import EmailTool
    from tercet.tools.slack import SlackTool

    names = (
        "AgentExecutor", "LLMModel", "ToolBase", "ToolSandbox", "ToolNotFoundError", "ToolExecutionError",
        "ContextLengthExceededError", "RateLimitExceededError", "CostLimitExceededError",
    )  # fmt: skip
    assert [name for name in names if not isinstance(getattr(tercet, name), type)] == []
    assert (EmailTool().name, SlackTool().name) == ("email", "slack")
