"""What docs/how-to/agent-workers.md shows, done against a real server: the Python worker and every curl command."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "agent-workers.md").read_text("utf-8")
_END = "@@end of a block@@"
_MOST_LINES = 15


class Served:
    """`tercet serve` on a free port, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", ".tercet"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().rsplit(" ", 1)[1].strip()
        self.token = (folder / ".tercet" / "admin-token").read_text().strip()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(
            method, f"{self.url}/api/v1{path}", json=body, headers={"Authorization": f"Bearer {self.token}"}
        )
        return answer.raise_for_status().json()

    def here(self, text: str) -> str:
        """Return an example with the address of this server in it."""
        assert "http://localhost:8700" in text
        return text.replace("http://localhost:8700", self.url)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    running = Served(tmp_path)
    yield running
    running.process.send_signal(signal.SIGTERM)
    running.process.communicate(timeout=30)


def blocks() -> list[tuple[str, str]]:
    """The shell examples, but for the server's start, and the answer shown after each; empty where none is."""
    found = re.findall(r"```sh\n(.*?)```\n(?:\n```json\n(.*?)```)?", PAGE, re.DOTALL)
    return [(commands, answer) for commands, answer in found if "tercet serve" not in commands]


def differing(shown: Any, real: Any, place: str = "answer") -> list[str]:
    """What an answer shows otherwise than it is; it may show less."""
    if isinstance(shown, dict) and isinstance(real, dict):
        return [
            problem
            for name, value in shown.items()
            for problem in (
                differing(value, real[name], f"{place}.{name}")
                if name in real
                else [f"{place}.{name} is not there"]
            )
        ]
    return [] if shown == real else [f"{place}: {shown!r} is {real!r}"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_every_curl_command_of_the_page_answers_as_the_page_shows(served: Served):
    shown = blocks()
    script = "\n".join(f"{commands}\necho; echo '{_END}'" for commands, _ in shown)
    done = subprocess.run(
        ["bash", "-eu", "-c", served.here(script)],
        cwd=served.folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.split(_END)[:-1]
    assert len(printed) == len(shown) > 10
    assert sum(1 for _, answer in shown if answer) > 8
    for (commands, answer), text in zip(shown, printed, strict=True):
        if answer:
            assert differing(json.loads(answer), json.loads(text)) == [], commands


def test_the_worker_of_the_page_has_at_most_15_lines_works_and_ends_with_a_signal(served: Served):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for line in example.splitlines() if line.strip()]
    assert len(lines) <= _MOST_LINES

    worker = subprocess.Popen(
        [sys.executable, "-c", served.here(example)], cwd=served.folder, stderr=subprocess.PIPE, text=True
    )
    plan = {"title": "t", "phases": [{"phase_id": "p", "tasks": [
        {"task_id": "t1", "subtasks": [{"subtask_id": "a", "action": "send_email", "params": {"to": "c@example.org"}}]}
    ]}]}  # fmt: skip
    plan_id = served.call("POST", "/plans/import", plan)["plan_id"]
    started = served.call("POST", "/executions", {"plan_id": plan_id, "agent_id": "*"})
    path = f"/executions/{started['execution_id']}/status"
    deadline = time.monotonic() + 30
    while (status := served.call("GET", path)["status"]) != "COMPLETED":
        assert time.monotonic() < deadline, status
        time.sleep(0.05)
    worker.send_signal(signal.SIGTERM)
    _, errors = worker.communicate(timeout=20)

    assert worker.returncode == 0, errors
    assert errors == ""
    assert (served.folder / "larry.key").exists()
    log = (served.folder / "larry.log").read_text("utf-8")
    assert " - INFO - Reporting event: task_complete for task a" in log
    assert " - INFO - Agent " in log.splitlines()[-1]
