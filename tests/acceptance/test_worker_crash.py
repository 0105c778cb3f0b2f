"""The server is killed while agents work: their reports arrive once when it is back."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from tercet.worker import Pace, Task, Worker

_SUBTASKS = 4


class Server:
    """`tercet serve` on a port that stays the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tercet", "serve", "--port", str(self.port), "--data-dir", str(self.folder)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert "listening" in self.process.stdout.readline()
        self.token = (self.folder / "admin-token").read_text().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(
            method, f"{self.url}/api/v1{path}", json=body, headers={"Authorization": f"Bearer {self.token}"}
        )
        return answer.raise_for_status().json()


def test_a_server_that_is_killed_while_handlers_work_gets_every_result_once_when_it_is_back(tmp_path: Path):
    server = Server(tmp_path / "data")
    server.start()
    worker = Worker.register(
        server.url, token=server.token, name="larry", capabilities=["count"], pace=Pace(poll_seconds=1)
    )
    done: list[str] = []
    second_began, server_is_down = threading.Event(), threading.Event()

    @worker.action("count")
    def count(task: Task) -> dict[str, Any]:
        if len(done) == 1:
            second_began.set()
            assert server_is_down.wait(20)
        done.append(task.task_id)
        task.progress("counted")
        return {"number": len(done)}

    subtasks = [{"subtask_id": f"s{n}", "action": "count"} for n in range(_SUBTASKS)]
    plan = {"title": "t", "phases": [{"phase_id": "p", "tasks": [{"task_id": "t", "subtasks": subtasks}]}]}
    plan_id = server.call("POST", "/plans/import", plan)["plan_id"]
    execution_id = server.call("POST", "/executions", {"plan_id": plan_id, "agent_id": worker.agent_id})[
        "execution_id"
    ]
    working = threading.Thread(target=lambda: asyncio.run(worker.arun()))
    working.start()
    try:
        assert second_began.wait(20)
        server.kill()
        server_is_down.set()
        server.start()
        deadline = time.monotonic() + 60
        while server.call("GET", f"/executions/{execution_id}/status")["status"] != "COMPLETED":
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        server_is_down.set()
        worker.stop()
        working.join(20)
    log = server.call("GET", f"/executions/{execution_id}/events?limit=500")["items"]
    server.kill()

    assert done == [f"s{n}" for n in range(_SUBTASKS)]
    for event_type in ("task_complete", "task_progress"):
        told = sorted(
            event["subtask_id"] for event in log if event["event_type"] == event_type and event["subtask_id"]
        )
        assert told == done, event_type
    assert not working.is_alive()


WORKER = """
import sys, time
from tercet.worker import Worker

url, token = sys.argv[1:]
worker = Worker.register(url, token=token, name="larry", capabilities=["wait"], agent_id="agent_larry")

@worker.action("wait")
def wait(task):
    print("begun", flush=True)
    time.sleep(60)

worker.run()
"""


def test_a_second_signal_ends_a_worker_whose_handler_does_not_and_its_work_is_handed_back(tmp_path: Path):
    server = Server(tmp_path / "data")
    server.start()
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, server.url, server.token],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert worker.stdout is not None
        subtasks = [{"subtask_id": "s", "action": "wait"}]
        plan = {
            "title": "t",
            "phases": [{"phase_id": "p", "tasks": [{"task_id": "t", "subtasks": subtasks}]}],
        }
        plan_id = server.call("POST", "/plans/import", plan)["plan_id"]
        started = server.call("POST", "/executions", {"plan_id": plan_id, "agent_id": "*"})
        assert worker.stdout.readline() == "begun\n"
        worker.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert worker.poll() is None
        worker.send_signal(signal.SIGINT)
        _, errors = worker.communicate(timeout=20)
        log = server.call("GET", f"/executions/{started['execution_id']}/events?type=task_error")["items"]
    finally:
        worker.kill()
        server.kill()

    assert (worker.returncode, errors) == (0, "")
    assert [event["subtask_id"] for event in log] == ["s"]
    assert "hands its work back" in log[0]["message"]
