"""A node whose model is scripted, and what a loop's test says of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tercet.flows.handlers import HandlerTable
from tercet.loop.config import LoopConfig
from tercet.loop.state import AgentState
from tercet.settings import Settings
from tercet.store.keys import open_keyring
from tercet.store.sqlite import open_reader
from tercet.testing.log_check import differences
from tercet.testing.mock_claude import MockClaude, Script
from tercet.wiring import Tercet, open_tercet

PLANNER, EXECUTOR, REVIEWER = (f"You are the {who} of" for who in ("planner", "executor", "reviewer"))
DONE = {"success": True, "output": "done"}


def says(who: str, value: Any, *, times: int | None = None, **match: Any) -> dict[str, Any]:
    rule = {"match": {"system_contains": who, **match}, "reply": {"json": value}}
    return rule if times is None else {**rule, "times": times}


def plans(*steps: Any, **match: Any) -> dict[str, Any]:
    return says(PLANNER, {"thought": "t", "plan": list(steps)}, **match)


CONTINUE = says(REVIEWER, {"verdict": "continue"})


def scripted(mock: MockClaude, folder: Path) -> Settings:
    return Settings(
        _env_file=None, data_dir=folder, anthropic_api_key=SecretStr("k"), anthropic_base_url=mock.base_url
    )


@asynccontextmanager
async def opened(
    folder: Path, rules: list[dict[str, Any]], handlers: HandlerTable | None = None
) -> AsyncIterator[Tercet]:
    with MockClaude(Script.model_validate({"rules": rules})) as mock:
        async with open_tercet(scripted(mock, folder), handlers=handlers) as node:
            yield node
            await node.engine.wait_idle()
    reader = open_reader(folder / "tercet.db", open_keyring(folder))
    with reader.connect() as connection:
        assert differences(connection) == []
    reader.dispose()


async def start(
    node: Tercet, goal: str = "Reach it", *, execution_id: str | None = None, **fields: Any
) -> str:
    config = LoopConfig.model_validate({"goal": goal, "tools": [], "max_tokens": 4_096, **fields})
    return await node.loops.start(config, owner_id="local", source="test", execution_id=execution_id)


async def end(node: Tercet, execution_id: str) -> AgentState:
    assert await node.runs.wait(execution_id) == "COMPLETED"
    state: AgentState = (await node.runs.outcome(execution_id))["output"]
    return state
