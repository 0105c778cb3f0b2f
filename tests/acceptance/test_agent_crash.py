"""A run is killed at each of its commits in turn, and finished by the next process."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send
from tests.acceptance import agent_crash

from tercet.testing.mock_claude import Script
from tercet.testing.mock_claude.app import create_app
from tercet.testing.mock_claude.server import ThreadedServer
from tercet.tools.audit import first_broken

FIRST_CALLS = [
    {"name": "stamp", "input": {"n": 1}},
    {"name": "calculator", "input": {"operation": "add", "a": 1, "b": 1}},
]
RULES = [
    {"match": {"turn": 0}, "reply": {"tool_use": FIRST_CALLS}},
    {"match": {"turn": 1}, "reply": {"tool_use": {"name": "stamp", "input": {"n": 2}}}},
    {"match": {"turn": 2}, "reply": {"text": "all errands are run"}},
]
TURNS = 3
_FIRST_COMMIT, _LAST_COMMIT = 3, 26
"""The first ones make the token and the agent; a whole run has fewer than the last, or the test says so."""


@pytest.mark.parametrize("half", [0, 1])
def test_a_killed_run_goes_on_without_paying_or_stamping_twice(tmp_path: Path, half: int):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["tercet.wiring", "tercet.executors.claude_client", "pydantic_ai.models.anthropic", "genai_prices"]
    )
    finished_without_a_kill = False
    for commit in range(_FIRST_COMMIT + half, _LAST_COMMIT, 2):
        folder, requests = tmp_path / str(commit), Counter[int]()
        folder.mkdir()
        with _counting_mock(requests) as mock:
            killed = _start(processes, folder, mock.base_url, commit)
            answer = folder / "answer"
            if not answer.exists():
                assert _start(processes, folder, mock.base_url, None) == 0

        assert answer.read_text() == "all errands are run", commit
        stamps = (
            Counter((folder / "stamps").read_text().split()) if (folder / "stamps").exists() else Counter()
        )
        assert all(count == 1 for count in stamps.values()), (commit, stamps)
        # One turn may have been on its way when the process died; no turn that was recorded is asked again.
        assert TURNS <= requests.total() <= TURNS + 1, (commit, requests)
        _check_books(folder, stamps)
        if killed == 0:
            finished_without_a_kill = True
            break
    assert finished_without_a_kill


def _check_books(folder: Path, stamps: Counter[str]) -> None:
    connection = sqlite3.connect(folder / "tercet.db")
    connection.row_factory = sqlite3.Row
    ledger = [row["status"] for row in connection.execute("SELECT status FROM ledger")]
    audit = [dict(row) for row in connection.execute("SELECT * FROM tool_audit ORDER BY seq")]
    connection.close()
    assert ledger.count("SETTLED") == TURNS
    assert set(ledger) <= {"SETTLED", "ABANDONED"}
    for row in audit:
        row["flags"] = []
    assert first_broken(audit) is None
    told = [row["code"] for row in audit if row["tool"] == "stamp"]
    assert told.count(None) + told.count("OUTCOME_UNKNOWN") == 2
    assert stamps.total() >= told.count(None)


def _start(
    processes: multiprocessing.context.ForkServerContext, folder: Path, base_url: str, kill_at: int | None
) -> int | None:
    process = processes.Process(
        target=agent_crash.main, args=(str(folder), base_url, str(folder / "stamps"), kill_at)
    )
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
