"""`run`: a whole loop in this process, against a scripted model over HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tercet.loop import run
from tercet.settings import Settings
from tercet.testing.mock_claude import MockClaude, Script

PLANNER, EXECUTOR, REVIEWER = ("You are the planner", "You are the executor", "You are the reviewer")


def says(who: str, value: Any, **match: Any) -> dict[str, Any]:
    return {"match": {"system_contains": who, **match}, "reply": {"json": value}}


def settings(mock: MockClaude) -> Settings:
    return Settings(_env_file=None, anthropic_api_key=SecretStr("k"), anthropic_base_url=mock.base_url)


RULES = [
    says(PLANNER, {"thought": "two", "plan": ["first", "second"]}),
    {
        "match": {"system_contains": EXECUTOR, "prompt_contains": "step 1 of 2"},
        "replies": [
            {"tool_use": {"name": "Write", "input": {"file_path": "a.txt", "content": "hello"}}},
            {"json": {"thought": "t", "success": True, "output": "wrote a.txt"}},
        ],
    },
    says(EXECUTOR, {"thought": "t", "success": True, "output": "second done"}),
    says(REVIEWER, {"thought": "t", "verdict": "continue", "feedback": ""}),
]


def test_run_works_through_the_plan_when_called_plainly(tmp_path: Path):
    with MockClaude(Script.model_validate({"rules": RULES})) as mock:
        state = run("Make two things", max_iters=10, settings=settings(mock), workspace=tmp_path)

    assert (state["reason"], state["iters"]) == ("finished", 2)
    assert state["executor_output"] == {"success": True, "output": "second done"}
    assert (tmp_path / "a.txt").read_text() == "hello"


async def test_run_is_a_coroutine_when_a_loop_runs():
    with MockClaude(Script.model_validate({"rules": RULES})) as mock:
        pending = run("Make two things", settings=settings(mock))
        assert asyncio.iscoroutine(pending)
        state = await pending

    assert state["reason"] == "finished"
