"""Chats over a real server: the stream, the WebSocket, the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


@dataclass(kw_only=True)
class Served:
    """A `tercet serve` process with a project."""

    http: httpx.Client
    address: str
    token: str
    project_id: str
    folder: Path

    def say(self, message: str, **body: Any) -> dict[str, Any]:
        """Post a message and wait for its answer."""
        body = {"project_id": self.project_id, "message": message, **body}
        answer = self.http.post("/api/chat?wait=20", json=body)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said


def start(folder: Path) -> tuple[subprocess.Popen[str], str, str]:
    """Serve a folder; return the process, its address and the owner's token."""
    command = [sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    address = process.stdout.readline().rsplit(" ", 1)[1].strip()
    return process, address, (folder / "admin-token").read_text().strip()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    process, address, token = start(folder)
    try:
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
            made = http.post("/api/v1/projects", json={"name": "Terminal"}).json()
            yield Served(
                http=http, address=address, token=token, project_id=made["project_id"], folder=folder
            )
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


def test_a_conversations_stream_brings_what_was_said_and_what_is_said_next(served: Served):
    first = served.say('/tool calculator {"operation": "add", "a": 1, "b": 2}')
    path = f"/api/v1/conversations/{first['conversation_id']}/stream"
    with served.http.stream("GET", path, headers={"Last-Event-ID": "1"}) as answer:
        lines = answer.iter_lines()
        numbers = [_next_number(lines)]
        served.say("Hello", conversation_id=first["conversation_id"])
        numbers += [_next_number(lines), _next_number(lines)]

    assert numbers == [2, 3, 4]


def _next_number(lines: Iterator[str]) -> int:
    return int(next(line for line in lines if line.startswith("id: ")).removeprefix("id: "))


@pytest.mark.parametrize("way", ["header", "query", "subprotocol"])
def test_a_websocket_brings_the_same_whichever_way_the_token_comes(served: Served, way: str):
    said = served.say('/tool calculator {"operation": "add", "a": 1, "b": 2}')
    address = served.address.replace("http", "ws", 1)
    path = f"{address}/api/v1/conversations/{said['conversation_id']}/ws"
    ways: dict[str, dict[str, Any]] = {
        "header": {"additional_headers": {"Authorization": f"Bearer {served.token}"}},
        "subprotocol": {"subprotocols": ["bearer", served.token]},
        "query": {},
    }
    options = ways[way]
    with connect(f"{path}?token={served.token}" if way == "query" else path, **options) as socket:
        events = [json.loads(socket.recv(timeout=10)) for _ in range(2)]

    assert [event["event"] for event in events] == ["message.persisted"] * 2
    assert "3" in events[1]["data"]["content"]


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_websocket_without_a_good_token_is_refused(served: Served, token: str):
    address = served.address.replace("http", "ws", 1)

    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(f"{address}/api/v1/conversations/x/ws?token={token}"),
    ):
        pass


def test_the_server_stops_cleanly_while_somebody_follows_a_conversation(tmp_path: Path):
    process, address, token = start(tmp_path)
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        project = http.post("/api/v1/projects", json={"name": "P"}).json()["project_id"]
        path = f"/api/v1/projects/{project}/conversations"
        conversation = http.post(path, json={"title": "T"}).json()["conversation_id"]
        with http.stream("GET", f"/api/v1/conversations/{conversation}/stream") as answer:
            process.terminate()
            lines = list(answer.iter_lines())
    returncode = process.wait(timeout=20)
    assert process.stdout is not None
    process.stdout.close()

    assert set(lines) <= {"", ": keep-alive"}
    assert returncode == 0


def chat(folder: Path, *arguments: str, text: str = "", code: int = 0) -> str:
    """Run `tercet chat`; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "tercet", "chat", *arguments, "--data-dir", str(folder)],
        input=text, capture_output=True, text=True, check=False, timeout=60, cwd=folder,
        env={**os.environ, "TERCET_LOG_LEVEL": "ERROR"},
    )  # fmt: skip
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_terminal_chats_through_the_running_server_and_shows_the_cost(served: Served):
    shown = chat(served.folder, "Say hello")
    listed = served.http.get(f"/api/v1/projects/{served.project_id}/conversations").json()["items"]

    assert "mock Claude" in shown
    assert "tokens" in shown
    assert "Say hello" in {item["title"] for item in listed}


def test_the_terminal_chats_without_a_server_over_several_turns(tmp_path: Path):
    shown = chat(tmp_path, text="Write a supplier contract for ACME Ltd\nDenmark\n/quit\n")

    assert "jurisdiction" in shown
    assert "law of Denmark" in shown
    assert "tercet chat --conversation cnv_" in shown


def test_the_terminal_leaves_an_approval_open_when_nobody_can_be_asked(tmp_path: Path):
    call = '/tool email {"to": ["a@example.org"], "subject": "Hi", "body": "x"}'
    shown = chat(tmp_path, call, code=1)

    assert "tercet inbox show apr_" in shown
