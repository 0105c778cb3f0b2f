"""Streams over a real server: what is seen is what was committed, each event once, also after a break."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
import websockets

from tercet.engine import live as live_module
from tercet.settings import Settings
from tercet.web.app import create_app
from tercet.wiring import Tercet, open_tercet

PLAN = {
    "title": "Many",
    "phases": [
        {"phase_id": "p", "tasks": [{"task_id": "t", "subtasks": [{"subtask_id": "s", "action": "x"}]}]}
    ],
}


class Served:
    """A node behind a real server, an agent and an execution."""

    def __init__(self, node: Tercet, address: str) -> None:
        self.node = node
        self.address = address
        self.sockets = address.replace("http", "ws")
        self.http = httpx.AsyncClient(
            base_url=address, headers={"Authorization": f"Bearer {node.admin_token}"}
        )

    async def call(self, method: str, path: str, **options: Any) -> Any:
        answer = await self.http.request(method, f"/api{path}", **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def begin(self) -> str:
        await self.call(
            "POST", "/agents/register", json={"agent_id": "agent_a", "name": "a", "capabilities": ["x"]}
        )
        plan = await self.call("POST", "/plans/import", content=json.dumps(PLAN))
        made = await self.call(
            "POST", "/executions", json={"plan_id": plan["plan_id"], "agent_id": "agent_a"}
        )
        return str(made["execution_id"])

    async def say(self, execution_id: str, message: str, **fields: Any) -> str:
        event = {
            "agent_id": "agent_a",
            "event_type": "task_progress",
            "task_id": "s",
            "message": message,
            **fields,
        }
        return str((await self.call("POST", f"/executions/{execution_id}/events", json=event))["event_id"])

    async def token(self) -> str:
        return str((await self.call("POST", "/stream-token"))["token"])


@pytest.fixture
def served(tmp_path: Path) -> Callable[..., None]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Served]:
        settings = Settings(_env_file=None, data_dir=tmp_path)
        async with open_tercet(settings) as node:
            config = uvicorn.Config(
                create_app(node), port=0, log_level="warning", lifespan="off", ws="websockets-sansio",
                timeout_graceful_shutdown=5,
            )  # fmt: skip
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve())
            while not server.started:  # noqa: ASYNC110 uvicorn has no event for it
                await asyncio.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            s = Served(node, f"http://127.0.0.1:{port}")
            try:
                yield s
            finally:
                await s.http.aclose()
                server.should_exit = True
                node.wind_down()
                await serving

    def run(use: Callable[[Served], Awaitable[None]]) -> None:
        async def go() -> None:
            async with opened() as s:
                await use(s)

        asyncio.run(go())

    return run


async def until(socket: Any, event_id: str) -> list[dict[str, Any]]:
    """Read until an event comes; return all messages."""
    seen = []
    async with asyncio.timeout(10):
        while True:
            message = json.loads(await socket.recv())
            seen.append(message)
            if message.get("event_id") == event_id:
                return seen


def test_a_websocket_shows_updates_and_events_as_in_the_spec(served):
    async def use(s: Served) -> None:
        execution_id = await s.begin()
        async with websockets.connect(
            f"{s.sockets}/api/executions/{execution_id}/stream?token={await s.token()}"
        ) as socket:
            first = json.loads(await socket.recv())
            assert first["type"] == "execution_update"
            assert first["progress"]["tasks_total"] == 1
            await s.call("GET", "/agents/agent_a/work")
            event_id = await s.say(execution_id, "mailed carol@example.org", event_type="task_complete")

            seen = await until(socket, event_id)

            last = seen[-1]
            assert {
                "type",
                "event_id",
                "execution_id",
                "event_type",
                "task_id",
                "message",
                "timestamp",
            } <= last.keys()
            assert (last["event_type"], last["task_id"]) == ("task_complete", "s")
            assert "carol@example.org" not in last["message"]
            while seen[-1]["type"] != "execution_update" or seen[-1]["status"] != "COMPLETED":
                seen.append(json.loads(await socket.recv()))
            running = [m for m in seen if m["type"] == "execution_update" and m["status"] == "RUNNING"]
            assert running
            assert seen[-1]["progress"]["percent"] == 100

    served(use)


def test_a_stream_goes_on_after_an_event_without_loss_or_double(served):
    async def use(s: Served) -> None:
        execution_id = await s.begin()
        ids = [await s.say(execution_id, f"m{n}") for n in range(5)]
        path = f"/api/executions/{execution_id}/stream"
        async with websockets.connect(
            f"{s.sockets}{path}?token={await s.token()}&last_event_id={ids[1]}"
        ) as socket:
            more = await s.say(execution_id, "m5")
            seen = await until(socket, more)
        assert [m["event_id"] for m in seen if m["type"] == "event"] == [*ids[2:], more]

        got: list[str] = []
        async with s.http.stream("GET", path, headers={"Last-Event-ID": ids[3]}) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            again = await s.say(execution_id, "m6")
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    got.append(line.removeprefix("id: "))
                if got and got[-1] == again:
                    break
        assert got == [ids[4], more, again]

    served(use)


def test_a_reader_that_is_too_slow_is_told_and_misses_nothing(served, monkeypatch):
    async def use(s: Served) -> None:
        execution_id = await s.begin()
        start = await s.say(execution_id, "start")
        small = s.node.live.watch_execution
        monkeypatch.setattr(s.node.live, "watch_execution", lambda key: small(key, most=20))
        async with websockets.connect(
            f"{s.sockets}/api/executions/{execution_id}/stream?token={await s.token()}&last_event_id={start}"
        ) as socket:
            events = [
                {"agent_id": "agent_a", "event_type": "task_progress", "task_id": "s", "message": f"m{n}"}
                for n in range(300)
            ]
            await s.call("POST", f"/executions/{execution_id}/events/batch", json=events)
            last = await s.say(execution_id, "end")
            seen = await until(socket, last)

        assert [m["type"] for m in seen if m["type"] == "resync"] == ["resync"]
        numbers = [m["seq"] for m in seen if m["type"] == "event"]
        assert numbers == list(range(numbers[0], numbers[0] + 301))

    served(use)


def test_the_stream_of_all_shows_every_execution_of_the_owner(served):
    async def use(s: Served) -> None:
        async with websockets.connect(f"{s.sockets}/api/stream?token={s.node.admin_token}") as socket:
            assert json.loads(await socket.recv())["type"] == "ready"
            execution_id = await s.begin()
            event_id = await s.say(execution_id, "hello")
            seen = await until(socket, event_id)
        assert {m["execution_id"] for m in seen} == {execution_id}

    served(use)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", 4401),
        ("?token=nothing", 4401),
        ("?token=a.b.c", 4401),
        ("?token={jwt}&last_event_id=evt_x_1", 4422),
    ],
)
def test_a_stream_without_a_good_token_or_event_is_closed_with_its_reason(served, query, code):
    async def use(s: Served) -> None:
        execution_id = await s.begin()
        url = f"{s.sockets}/api/executions/{execution_id}/stream" + query.replace("{jwt}", await s.token())
        async with websockets.connect(url) as socket:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == code

    served(use)


def test_a_stream_token_expires_and_opens_nothing_else(served):
    async def use(s: Served) -> None:
        token = await s.token()
        answer = await s.http.get("/api/executions", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401

    served(use)


def test_buffers_are_bounded():
    subscription = live_module.Subscription(2)
    update = live_module.LiveUpdate("exe_1", "RUNNING", None, 0, 1, 0)
    for _ in range(10):
        subscription.put(update)

    assert subscription.lost
