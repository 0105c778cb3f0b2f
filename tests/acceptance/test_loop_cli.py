"""`tercet loop` as people use it: each command a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
rules:
  - match: {system_contains: You are the planner, prompt_contains: human}
    reply: {json: {plan: [{step: Choose a colour, executor: human}, paint it]}}
  - match: {system_contains: You are the planner}
    reply: {json: {plan: [look, write]}}
  - match: {system_contains: You are the executor, prompt_contains: step 2 of 2, turn: 0}
    reply: {delay_seconds: DELAY, tool_use: {name: Write, input: {file_path: made.txt, content: hello}}}
  - match: {system_contains: You are the executor}
    reply: {json: {thought: t, success: true, output: "it is [done]"}}
  - match: {system_contains: You are the reviewer}
    reply: {json: {verdict: continue, feedback: ""}}
"""


class Cli:
    """Runs `tercet loop` in a folder, with the script in the place of a model."""

    def __init__(self, folder: Path, delay_seconds: float = 0) -> None:
        self.folder = folder
        (folder / "script.yaml").write_text(SCRIPT.replace("DELAY", str(delay_seconds)))
        keys = ("TERCET_", "ANTHROPIC_", "OPENAI_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(keys)}
        self.environment["TERCET_MOCK_SCRIPT"] = str(folder / "script.yaml")

    def words(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tercet", "loop", *arguments]

    def __call__(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            self.words(*arguments), cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False,
            timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", code=code))


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def test_a_loop_tells_its_turns_and_works_in_the_folder(cli: Cli):
    (cli.folder / "work").mkdir()
    said = cli("Make a file", "--workspace", "work", "--max-iters", "5", "--budget-usd", "0.5")

    assert "  1 planner   look; write" in said
    assert "  5 reviewer  continue" in said
    assert "done: it is [done]" in said
    assert "finished: every step is done" in said
    assert "2 of 5 turns" in said
    assert (cli.folder / "work" / "made.txt").read_text() == "hello"


def test_a_loop_that_is_killed_goes_on_with_resume(tmp_path: Path):
    cli = Cli(tmp_path, delay_seconds=5)
    process = subprocess.Popen(
        cli.words("Make a file"), cwd=tmp_path, env={**cli.environment, "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    while "3 reviewer" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    quick = Cli(tmp_path)
    listed = subprocess.run(
        [sys.executable, "-m", "tercet", "executions", "list", "--json"],
        cwd=tmp_path, env=cli.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    execution_id = json.loads(listed.stdout)["items"][0]["execution_id"]

    said = quick("--resume", execution_id)

    assert "1 planner" not in said
    assert "  4 executor  done" in said
    assert "finished: every step is done" in said


def test_a_step_for_a_person_waits_and_goes_on_when_it_is_decided(cli: Cli):
    waiting = cli.json(
        "Paint the human house", "--executor", "agent", "--executor", "human", "--tool", "Write", "--approve", "none",
        code=1,
    )  # fmt: skip
    execution_id = waiting["execution_id"]
    done = cli.json("--resume", execution_id, "--approve", "all")

    assert (waiting["status"], waiting["state"]["reason"]) == ("BLOCKED", None)
    assert (done["status"], done["state"]["reason"], done["execution_id"]) == (
        "COMPLETED", "finished", execution_id,
    )  # fmt: skip


def test_what_cannot_be_started_is_refused_in_one_line(cli: Cli):
    assert "either a goal or --resume" in cli(code=2)
    assert "'worker'" in cli("g", "--executor", "worker:x", code=2)
    assert "there is no tool 'nothing'" in cli("g", "--tool", "nothing", code=2)
    assert "there is no loop 'exe_0'" in cli("--resume", "exe_0", code=2)
    assert "budget_usd" in cli("g", "--budget-usd", "0", code=2)
    assert "--approve 'maybe' is not known" in cli("g", "--approve", "maybe", code=2)
