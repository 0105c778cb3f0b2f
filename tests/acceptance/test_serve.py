"""`tercet serve` as a process: ready line, token, one owner a folder, clean stop, hand-back."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

MANIFEST = """
name: slow
events: [{name: job.sent}, {name: job.done, description: final}]
functions:
  - {name: work, trigger: {event: job.sent}, handler: "slow_handlers:work", emits: [job.done], config: {timeout: 1h}}
"""
HANDLERS = """
import asyncio
from pathlib import Path

async def work(event, ctx):
    marker = Path(event["data"]["marker"])
    await ctx.step("first", asyncio.sleep, 0, "done")
    if not marker.exists():
        marker.write_text("running")
        await asyncio.sleep(600)
    return {"attempt": ctx.attempt}
"""


class Server:
    """One process."""

    def __init__(self, folder: Path, manifest: Path) -> None:
        command = [
            sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder), "--manifest", str(manifest),
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Tercet is listening on http://127.0.0.1:"), line
        headers = {"Authorization": f"Bearer {(folder / 'admin-token').read_text().strip()}"}
        self.http = httpx.Client(base_url=line.rsplit(" ", 1)[1].strip(), headers=headers, timeout=10)

    def stop(self) -> int:
        self.http.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "slow_handlers.py").write_text(HANDLERS)
    path = tmp_path / "manifest.yaml"
    path.write_text(MANIFEST)
    return path


@pytest.fixture
def server(tmp_path: Path, manifest: Path) -> Iterator[Server]:
    running = Server(tmp_path / "data", manifest)
    yield running
    if running.process.poll() is None:
        running.stop()


def test_a_server_stops_cleanly_and_the_next_one_finishes_what_it_handed_back(server, tmp_path, manifest):
    marker = tmp_path / "marker"
    body: dict[str, Any] = {"name": "job.sent", "data": {"marker": str(marker)}}
    execution_id = server.http.post("/api/v1/events", json=body).json()["execution_id"]
    while not marker.exists():
        assert server.http.get("/healthz").status_code == 200

    assert server.stop() == 0
    again = Server(tmp_path / "data", manifest)
    path = f"/api/v1/executions/{execution_id}"
    while (shown := again.http.get(path).json())["status"] != "COMPLETED":
        assert shown["status"] == "RUNNING", shown

    assert shown["tasks"][0]["attempt"] == 2
    assert again.stop() == 0


def test_the_owner_token_is_for_the_owner_alone_and_a_second_process_is_refused(server, tmp_path, manifest):
    token = tmp_path / "data" / "admin-token"
    second = subprocess.run(
        [sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(tmp_path / "data")],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert second.returncode == 2
    assert f"another process (pid {server.process.pid}) uses the data folder" in second.stderr
    assert "Traceback" not in second.stderr
