"""A server is killed while a notice waits for its next attempt; the next process delivers it."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tercet.testing.mock_claude.server import ThreadedServer

MANIFEST = """
name: shop
events: [{name: order.placed}, {name: order.checked, description: final}]
functions:
  - name: check
    trigger: {event: order.placed}
    executor: {type: template_engine, template: "Order {{ order_id }}"}
    emits: [order.checked]
"""
pytestmark = pytest.mark.crash


class Server:
    """A `tercet serve` process over one data folder."""

    def __init__(self, folder: Path) -> None:
        command = [
            sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder / "data"),
            "--manifest", str(folder / "shop.yaml"),
        ]  # fmt: skip
        environment = {**os.environ, "TERCET_TOOL_NETWORKS": "127.0.0.0/8", "TERCET_LOG_LEVEL": "ERROR"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        atexit.register(self.process.kill)
        assert self.process.stdout is not None
        address = self.process.stdout.readline().rsplit(" ", 1)[1].strip()
        token = (folder / "data" / "admin-token").read_text().strip()
        self.http = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=10)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.http.request(method, path, json=body).raise_for_status().json()

    def end(self, number: int) -> None:
        self.http.close()
        self.process.send_signal(number)
        self.process.wait(timeout=30)
        atexit.unregister(self.process.kill)
        assert self.process.stdout is not None
        self.process.stdout.close()


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def test_a_notice_survives_a_kill_and_keeps_its_id(tmp_path: Path):
    (tmp_path / "shop.yaml").write_text(MANIFEST)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    server = Server(tmp_path)
    made = server.call("POST", "/api/v1/webhooks/register", {"url": f"http://127.0.0.1:{port}/hook"})
    path = f"/api/v1/webhooks/{made['webhook_id']}/deliveries"
    server.call("POST", "/api/v1/events", {"name": "order.placed", "data": {"order_id": "o1"}})
    waiting = until(lambda: [item for item in server.call("GET", path)["items"] if item["attempts"] == 1])
    server.end(signal.SIGKILL)

    received: list[tuple[bytes, dict[str, str]]] = []

    async def take(request: Request) -> Response:
        received.append((await request.body(), dict(request.headers)))
        return Response(status_code=204)

    with ThreadedServer(
        Starlette(routes=[Route("/hook", take, methods=["POST"])]),
        name="receiver",
        host="127.0.0.1",
        port=port,
    ):
        server = Server(tmp_path)
        delivered = until(
            lambda: [i for i in server.call("GET", path)["items"] if i["status"] == "delivered"]
        )
        server.end(signal.SIGTERM)

    assert [(item["event"], item["status"], item["attempts"]) for item in waiting] == [
        ("execution.completed", "pending", 1)
    ]
    assert [item["delivery_id"] for item in delivered] == [waiting[0]["delivery_id"]]
    assert [headers["webhook-id"] for _, headers in received] == [waiting[0]["delivery_id"]]
    assert Webhook(made["secret"]).verify(received[0][0], received[0][1])["type"] == "execution.completed"
