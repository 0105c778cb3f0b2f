"""Agent workers of the SDK against a real server: HTTP over the loopback interface, in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tercet.settings import Settings
from tercet.web.app import create_app
from tercet.web.serving import serving
from tercet.wiring import Tercet, open_tercet
from tercet.worker import Pace, Worker

QUICK = Pace(poll_seconds=5.0, heartbeat_seconds=60.0, listen_seconds=0.05, shutdown_seconds=0.3)


@dataclass
class Trouble:
    """Stands before the API and lets single answers go wrong."""

    app: ASGIApp
    lost: list[str] = field(default_factory=list)
    """Parts of paths: the next request to each is done, but its answer is lost."""
    refused: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)
    """(part of a path, status, headers): the next request to it is not done."""
    cut_off: set[str] = field(default_factory=set)
    """Keys of agents whose requests are not done."""
    requests: list[str] = field(default_factory=list)

    async def over(self) -> None:
        """Return when all went wrong that should."""
        while self.lost or self.refused:  # noqa: ASYNC110 requests end it, one by one
            await asyncio.sleep(0.01)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        self.requests.append(f"{scope['method']} {path}")
        key = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        if key in self.cut_off:
            await JSONResponse({"error": "cut off"}, 503)(scope, receive, send)
            return
        for entry in self.refused:
            if entry[0] in path:
                self.refused.remove(entry)
                await JSONResponse({"error": "not now"}, entry[1], entry[2])(scope, receive, send)
                return
        for part in self.lost:
            if part in path:
                self.lost.remove(part)

                async def nowhere(_message: Any) -> None:
                    pass

                await self.app(scope, receive, nowhere)
                await JSONResponse({"error": "lost"}, 502)(scope, receive, send)
                return
        await self.app(scope, receive, send)


@dataclass
class Hub:
    """A server with plans, and the agents that work for it."""

    node: Tercet
    url: str
    http: httpx.AsyncClient
    trouble: Trouble
    folder: Path

    async def call(self, method: str, path: str, **options: Any) -> Any:
        answer = await self.http.request(method, f"/api/v1{path}", **options)
        assert answer.status_code < 400, f"{answer.status_code}: {answer.text[:500]}"
        return answer.json() if answer.content else None

    async def worker(self, name: str, *actions: str, pace: Pace = QUICK, **options: Any) -> Worker:
        return await asyncio.to_thread(
            Worker.register, self.url, token=self.node.admin_token, name=name, agent_id=f"agent_{name}",
            capabilities=list(actions), pace=pace, **options,
        )  # fmt: skip

    async def start(self, *subtasks: dict[str, Any], agents: str = "*") -> str:
        """Start a plan of one task; return the execution's id."""
        task = {"task_id": "t1", "title": "Contact", "subtasks": list(subtasks)}
        plan = {"title": "Call Carol", "phases": [{"phase_id": "p1", "tasks": [task]}]}
        stored = await self.call("POST", "/plans/import", json=plan)
        body = {"plan_id": stored["plan_id"], "agent_id": agents}
        return str((await self.call("POST", "/executions", json=body))["execution_id"])

    async def until(self, execution_id: str, *statuses: str) -> dict[str, Any]:
        """Return the execution when it has one of the statuses."""
        while True:
            shown: dict[str, Any] = await self.call("GET", f"/executions/{execution_id}")
            if shown["status"] in statuses:
                return shown
            await asyncio.sleep(0.02)

    async def subtask(self, execution_id: str, name: str) -> dict[str, Any]:
        tree = await self.call("GET", f"/executions/{execution_id}/tree?reveal=true")
        return next(s for s in tree["phases"][0]["tasks"][0]["subtasks"] if s["subtask_id"] == name)

    async def events(self, execution_id: str, *types: str) -> list[dict[str, Any]]:
        """Return the events of these types, oldest first."""
        shown = await self.call("GET", f"/executions/{execution_id}/events?limit=500&reveal=true")
        return [event for event in reversed(shown["items"]) if event["event_type"] in types]

    @asynccontextmanager
    async def working(self, *workers: Worker) -> AsyncIterator[None]:
        """Let workers work, and end them."""
        running = [asyncio.create_task(worker.arun()) for worker in workers]
        try:
            yield
        finally:
            for worker in workers:
                worker.stop()
            await asyncio.wait_for(asyncio.gather(*running), 10)


@pytest.fixture
def with_hub(tmp_path: Path) -> Callable[..., None]:
    """Run a coroutine with a Hub. Further arguments are settings."""

    def run(use: Callable[[Hub], Awaitable[None]], **options: Any) -> None:
        async def go() -> None:
            settings = Settings(_env_file=None, data_dir=tmp_path / "data", **options)
            async with open_tercet(settings) as node:
                trouble = Trouble(create_app(node))
                headers = {"Authorization": f"Bearer {node.admin_token}"}
                async with (
                    serving(trouble) as url,
                    httpx.AsyncClient(base_url=url, headers=headers, timeout=10) as http,
                ):
                    await use(Hub(node, url, http, trouble, tmp_path))
                    node.wind_down()

        asyncio.run(go())

    return run
