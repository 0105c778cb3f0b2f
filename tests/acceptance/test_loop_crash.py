"""A loop is killed at every other pair of its commits in turn, and finished by the next process, turn for turn the same."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from tests.acceptance import loop_crash

from tercet.domain.codec import from_json
from tercet.testing.mock_claude import Script, create_app
from tercet.testing.mock_claude.server import ThreadedServer

PLANNER, EXECUTOR, REVIEWER = (f"You are the {who} of" for who in ("planner", "executor", "reviewer"))


def says(who: str, value: Any, **match: Any) -> dict[str, Any]:
    return {"match": {"system_contains": who, **match}, "reply": {"json": value}}


RULES = [
    says(PLANNER, {"plan": ["make b.txt again"]}, prompt_contains="disk full"),
    says(PLANNER, {"plan": ["make a.txt", "make b.txt"]}),
    {
        "match": {"system_contains": EXECUTOR, "prompt_contains": "step 1 of 2"},
        "replies": [
            {"tool_use": {"name": "Write", "input": {"file_path": "a.txt", "content": "a"}}},
            {"json": {"success": True, "output": "made a.txt"}},
        ],
    },
    says(EXECUTOR, {"success": False, "output": "disk full"}, prompt_contains="step 2 of 2"),
    says(EXECUTOR, {"success": True, "output": "made b.txt"}),
    says(REVIEWER, {"verdict": "finish"}, prompt_contains="made b.txt"),
    says(REVIEWER, {"verdict": "continue"}),
]
MODEL_TURNS = 8
"""Two plans, three executor turns of which one calls a tool, two reviews; the tool's answer is read by another."""
_FIRST_COMMIT, _LAST_COMMIT = 2, 60


@pytest.mark.parametrize("part", [0, 1])
def test_a_killed_loop_goes_on_with_the_next_turn_and_pays_for_none_twice(tmp_path: Path, part: int):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["tercet.wiring", "tercet.executors.claude_client", "pydantic_ai.models.anthropic", "genai_prices"]
    )
    finished_without_a_kill = False
    for commit in range(_FIRST_COMMIT + part, _LAST_COMMIT, 4):
        folder, requests = tmp_path / str(commit), Counter[int]()
        folder.mkdir()
        with _counting_mock(requests) as mock:
            killed = _start(processes, folder, mock.base_url, commit)
            if not (folder / "answer").exists():
                assert _start(processes, folder, mock.base_url, None) == 0

        state = from_json((folder / "answer").read_text())
        assert (state["reason"], state["iters"]) == ("finished", 3), commit
        assert [attempt["output"] for attempt in state["attempts"]] == [
            "made a.txt",
            "disk full",
            "made b.txt",
        ]
        # One turn may have been on its way when the process died; no turn that was recorded is asked again.
        assert MODEL_TURNS <= requests.total() <= MODEL_TURNS + 1, (commit, requests)
        _check_books(folder)
        if killed == 0:
            finished_without_a_kill = True
            break
    assert finished_without_a_kill


def _check_books(folder: Path) -> None:
    connection = sqlite3.connect(folder / "tercet.db")
    ledger = [status for (status,) in connection.execute("SELECT status FROM ledger")]
    executions = connection.execute("SELECT status FROM executions").fetchall()
    turns = connection.execute(
        "SELECT name FROM execution_subtasks WHERE name GLOB '*:*' AND name NOT GLOB '*/*' ORDER BY name"
    ).fetchall()
    connection.close()
    assert ledger.count("SETTLED") == MODEL_TURNS
    assert set(ledger) <= {"SETTLED", "ABANDONED"}
    assert executions == [("COMPLETED",)]
    assert [name for (name,) in turns] == [
        "1:planner", "2:executor", "3:reviewer", "4:executor", "5:planner", "6:executor", "7:reviewer",
    ]  # fmt: skip


def _start(
    processes: multiprocessing.context.ForkServerContext, folder: Path, base_url: str, kill_at: int | None
) -> int | None:
    process = processes.Process(target=loop_crash.main, args=(str(folder), base_url, kill_at))
    process.start()
    process.join(60)
    assert process.exitcode is not None
    return process.exitcode


def _counting_mock(requests: Counter[int]) -> ThreadedServer:
    app = create_app(Script.model_validate({"rules": RULES}))

    async def counting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/v1/messages":
            requests[0] += 1
        await app(scope, receive, send)

    return ThreadedServer(counting, name="counting-mock")
