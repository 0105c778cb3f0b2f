"""A chat turn is killed at each of its commits in turn, and finished by the next process."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send
from tests.acceptance import chat_crash

from tercet.testing.mock_claude import Script
from tercet.testing.mock_claude.app import create_app
from tercet.testing.mock_claude.server import ThreadedServer

RULES = [
    {
        "match": {"system_contains": "You decide what happens"},
        "reply": {
            "json": {
                "action": "execute",
                "executor_type": "llm",
                "task": {"prompt": "Write."},
                "confidence": 1,
            }
        },
    },
    {"reply": {"text": "It is written."}},
]
CALLS = 2
_FIRST_COMMIT, _LAST_COMMIT = 2, 26
"""The first ones make the token and the project; a whole turn has fewer than the last, or the test says so."""


@pytest.mark.parametrize("half", [0, 1])
def test_a_killed_turn_goes_on_without_a_second_call_or_a_second_message(tmp_path: Path, half: int):
    processes = _processes()
    finished_without_a_kill = False
    for commit in range(_FIRST_COMMIT + half, _LAST_COMMIT, 2):
        folder, requests = tmp_path / str(commit), Counter[int]()
        folder.mkdir()
        with _counting_mock(requests) as mock:
            killed = _start(processes, folder, mock.base_url, "Write it", commit)
            if not (folder / "answer").exists():
                assert _start(processes, folder, mock.base_url, "Write it", None) == 0

        assert (folder / "answer").read_text() == "It is written.", commit
        # One call may have been on its way when the process died; none that was recorded is made again.
        assert CALLS <= requests.total() <= CALLS + 1, (commit, requests)
        assert _messages(folder) == ["user", "assistant"], commit
        assert _ledger(folder).count("SETTLED") == CALLS, commit
        if killed == 0:
            finished_without_a_kill = True
            break
    assert finished_without_a_kill


def test_a_tool_that_was_approved_is_called_at_most_once_whenever_the_process_dies(tmp_path: Path):
    processes = _processes()
    outcomes: Counter[int] = Counter()
    for commit in range(_FIRST_COMMIT, _LAST_COMMIT):
        folder = tmp_path / str(commit)
        folder.mkdir()
        killed = _start(processes, folder, None, "/tool stamp {}", commit)
        if not (folder / "answer").exists():
            assert _start(processes, folder, None, "/tool stamp {}", None) == 0

        stamps = (folder / "stamps").read_text().count("stamped") if (folder / "stamps").exists() else 0
        told = (folder / "answer").read_text()
        outcomes[stamps] += 1
        assert stamps == 1 or "not known" in told, commit
        assert _messages(folder) == ["user", "assistant"], commit
        if killed == 0:
            break
    assert set(outcomes) <= {0, 1}
    assert outcomes[1] > 1


def _messages(folder: Path) -> list[str]:
    return _column(folder, "SELECT role FROM conversation_messages ORDER BY seq")


def _ledger(folder: Path) -> list[str]:
    return _column(folder, "SELECT status FROM ledger")


def _column(folder: Path, query: str) -> list[str]:
    connection = sqlite3.connect(folder / "tercet.db")
    values = [row[0] for row in connection.execute(query)]
    connection.close()
    return values


def _processes() -> multiprocessing.context.ForkServerContext:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["tercet.wiring", "tercet.executors.claude_client", "pydantic_ai.models.anthropic", "genai_prices"]
    )
    return processes


def _start(
    processes: multiprocessing.context.ForkServerContext,
    folder: Path,
    base_url: str | None,
    message: str,
    kill_at: int | None,
) -> int | None:
    process = processes.Process(target=chat_crash.main, args=(str(folder), base_url, message, kill_at))
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
