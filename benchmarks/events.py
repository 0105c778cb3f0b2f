"""Agents' events, polls and streams through a real server, beside a bare endpoint; lists over a million events."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import orjson
import uvloop
import websockets

from benchmarks.load.http_client import Connection, flood, prepared
from benchmarks.load.million import EVENTS, fill_events
from benchmarks.report import print_table

AGENTS = 50
CONNECTIONS = 64
SINGLES = 20_000
BATCHES, BATCH = 600, 100
SUBSCRIBERS, STREAM_PER_S, STREAM_SECONDS = 100, 1_000, 8
IDLE_AGENTS, IDLE_SECONDS = 1_000, 10
SOAK_SECONDS = float(os.environ.get("SOAK_SECONDS", "30"))
_TASK = {"task_id": "t", "subtasks": [{"subtask_id": "s", "action": "x"}]}
_PLAN = {"title": "Bench", "phases": [{"phase_id": "p", "tasks": [_TASK]}]}
_MESSAGE = "Collected twelve of the twenty entries; going on with the next page"


@contextmanager
def _process(arguments: list[str]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server that says its address in its first line; yield it with its port."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC", "OPENAI"))}
    environment["TERCET_AGENT_REQUESTS_PER_MINUTE"] = "1000000"
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    port = int(process.stdout.readline().rstrip().rpartition(":")[2])
    try:
        yield process, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@contextmanager
def _tercet(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    with _process(["-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder)]) as (process, port):
        yield process, port, (folder / "admin-token").read_text().strip()


class _Fleet:
    """Agents that each hold the only subtask of an execution of their own."""

    def __init__(self) -> None:
        self.members: list[tuple[str, str, str]] = []
        """(agent, key, execution)"""
        self._clock = 0

    async def gather(self, port: int, token: str, count: int) -> None:
        connection = await Connection.open(port)
        plan = await connection.call("POST", "/api/plans/import", token, _PLAN)
        for number in range(count):
            body = {"agent_id": f"bench_{number}", "name": "bench", "capabilities": ["x"]}
            agent = await connection.call("POST", "/api/agents/register", token, body)
            start = {"plan_id": plan["plan_id"], "agent_id": agent["agent_id"]}
            execution = await connection.call("POST", "/api/executions", token, start)
            key = str(agent["api_key"])
            await connection.call("GET", f"/api/agents/{agent['agent_id']}/work", key)
            self.members.append((str(agent["agent_id"]), key, str(execution["execution_id"])))
        connection.close()

    def event(self, agent: str) -> dict[str, object]:
        self._clock += 1
        at = datetime.fromtimestamp(time.time() + self._clock / 1e6, UTC).isoformat()
        return {
            "agent_id": agent, "agent_timestamp": at, "event_type": "task_progress", "task_id": "s", "status": "running",
            "message": _MESSAGE, "output_data": {"done": self._clock, "page": 3},
        }  # fmt: skip

    def singles(self, count: int) -> Iterator[bytes]:
        for number in range(count):
            agent, key, execution = self.members[number % len(self.members)]
            yield prepared(
                "POST", f"/api/executions/{execution}/events", key, orjson.dumps(self.event(agent))
            )

    def batches(self, count: int) -> Iterator[bytes]:
        for number in range(count):
            agent, key, execution = self.members[number % len(self.members)]
            body = orjson.dumps([self.event(agent) for _ in range(BATCH)])
            yield prepared("POST", f"/api/executions/{execution}/events/batch", key, body)


async def _rates(folder: Path) -> dict[str, float]:
    fleet = _Fleet()
    with _tercet(folder) as (process, port, token):
        await fleet.gather(port, token, AGENTS)
        await flood(port, iter(list(fleet.singles(2_000))), connections=CONNECTIONS)
        count, seconds = await flood(port, iter(list(fleet.singles(SINGLES))), connections=CONNECTIONS)
        singles = count / seconds
        count, seconds = await flood(port, iter(list(fleet.batches(BATCHES))), connections=16)
        batches = count * BATCH / seconds
        before = _megabytes(process)
        await _soak(fleet, port)
        grown = _megabytes(process) - before
    with _process(["-m", "benchmarks.load.bare_server", str(folder)]) as (_, port):
        await flood(port, iter(list(fleet.singles(2_000))), connections=CONNECTIONS)
        count, seconds = await flood(port, iter(list(fleet.singles(SINGLES))), connections=CONNECTIONS)
    return {
        "events.single_per_s": singles, "events.bare_per_s": count / seconds,
        "events.ratio_of_bare": singles * seconds / count, "events.batch_per_s": batches,
        "events.soak_grown_mb": grown,
    }  # fmt: skip


async def _soak(fleet: _Fleet, port: int) -> None:
    end = time.perf_counter() + SOAK_SECONDS
    while time.perf_counter() < end:
        await flood(port, iter(list(fleet.singles(4_000))), connections=CONNECTIONS)


async def _streams(folder: Path) -> dict[str, float]:
    fleet = _Fleet()
    latencies: list[float] = []
    with _tercet(folder) as (_, port, token):
        await fleet.gather(port, token, 10)
        async with _listening(fleet, port, token, latencies):
            connections = [await Connection.open(port) for _ in range(16)]
            gap = len(connections) / STREAM_PER_S
            each = STREAM_PER_S * STREAM_SECONDS // len(connections)
            await asyncio.gather(*(_pace(c, fleet.singles(each), gap) for c in connections))
            await asyncio.sleep(1.0)
    latencies.sort()
    return {
        "stream.commit_to_push_ms_p99": latencies[int(len(latencies) * 0.99)],
        "stream.messages": float(len(latencies)),
    }


async def _pace(connection: Connection, requests: Iterator[bytes], gap: float) -> None:
    at = time.perf_counter()
    for request in requests:
        at += gap
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        await connection.send(request)


@asynccontextmanager
async def _listening(fleet: _Fleet, port: int, token: str, latencies: list[float]) -> AsyncIterator[None]:
    """Keep SUBSCRIBERS WebSockets open, spread over the fleet's executions; collect commit-to-arrival times."""

    async def listen(execution: str, ready: asyncio.Event) -> None:
        url = f"ws://127.0.0.1:{port}/api/executions/{execution}/stream?token={token}"
        async with websockets.connect(url, compression=None) as socket:
            await socket.recv()
            ready.set()
            async for text in socket:
                message = orjson.loads(text)
                if message["type"] == "event":
                    at = datetime.fromisoformat(message["timestamp"]).timestamp()
                    latencies.append((time.time() - at) * 1000)

    readies = [asyncio.Event() for _ in range(SUBSCRIBERS)]
    tasks = [
        asyncio.create_task(listen(fleet.members[number % len(fleet.members)][2], ready))
        for number, ready in enumerate(readies)
    ]
    for ready in readies:
        await ready.wait()
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _polls(folder: Path) -> dict[str, float]:
    with _tercet(folder) as (process, port, token):
        connection = await Connection.open(port)
        plan = await connection.call("POST", "/api/plans/import", token, _PLAN)
        keys = {}
        for number in range(IDLE_AGENTS):
            body = {"agent_id": f"idle_{number}", "name": "idle", "capabilities": ["x"]}
            keys[f"idle_{number}"] = str(
                (await connection.call("POST", "/api/agents/register", token, body))["api_key"]
            )
        waiting = {}
        for agent, key in keys.items():
            request = prepared("GET", f"/api/agents/{agent}/work?wait=120", key)
            waiting[agent] = asyncio.create_task((await Connection.open(port)).send(request))
        await asyncio.sleep(3.0)
        busy, began = _cpu_seconds(process), time.perf_counter()
        await asyncio.sleep(IDLE_SECONDS)
        idle_percent = 100 * (_cpu_seconds(process) - busy) / (time.perf_counter() - began)
        connection = await Connection.open(port)  # the other one was idle for too long
        took = []
        for agent in list(waiting)[:50]:
            at = time.perf_counter()
            await connection.call(
                "POST", "/api/executions", token, {"plan_id": plan["plan_id"], "agent_id": agent}
            )
            await waiting.pop(agent)
            took.append((time.perf_counter() - at) * 1000)
        for task in waiting.values():
            task.cancel()
        await asyncio.gather(*waiting.values(), return_exceptions=True)
    took.sort()
    return {"poll.deliver_ms_p50": took[len(took) // 2], "poll.idle_1000_cpu_percent": idle_percent}


async def _lists(folder: Path) -> dict[str, float]:
    ids = fill_events(folder / "tercet.db")
    worst = 0.0
    with _tercet(folder) as (_, port, token):
        connection = await Connection.open(port)
        for path in (
            "/api/executions?limit=50", "/api/executions?status=COMPLETED&limit=50", "/api/executions?kind=manifest",
            f"/api/executions/{ids[0]}/events?limit=100", f"/api/executions/{ids[0]}/events?type=task_complete",
            f"/api/executions/{ids[0]}/events?offset=10000", f"/api/executions/{ids[0]}/events?after=1&limit=500",
            f"/api/executions/{ids[0]}", "/api/approvals", "/api/plans", "/api/agents", "/api/ledger", "/api/admin/metrics",
        ):  # fmt: skip
            took = []
            for _ in range(40):
                at = time.perf_counter()
                await connection.call("GET", path, token)
                took.append((time.perf_counter() - at) * 1000)
            took.sort()
            print(f"  p95 {took[37]:7.1f} ms  {path.replace(ids[0], '{id}')}")
            worst = max(worst, took[37])
    return {"lists.million_events_ms_p95": worst}


def _cpu_seconds(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(process: subprocess.Popen[str]) -> float:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


_PROMISES: tuple[tuple[str, str, str, float | None], ...] = (
    ("single events a second", "events.single_per_s", "at least", 2_000),
    ("bare endpoint, a second", "events.bare_per_s", "", None),
    ("ratio of bare", "events.ratio_of_bare", "at least", 0.5),
    ("batched events a second", "events.batch_per_s", "at least", 15_000),
    (f"memory grown in {SOAK_SECONDS:.0f} s of singles, MB", "events.soak_grown_mb", "", None),
    ("commit to WebSocket p99, ms", "stream.commit_to_push_ms_p99", "at most", 50),
    ("work delivered p50, ms", "poll.deliver_ms_p50", "at most", 50),
    ("1,000 idle polls, % of a core", "poll.idle_1000_cpu_percent", "at most", 5),
    ("lists p95, worst route, ms", "lists.million_events_ms_p95", "at most", 50),
)


def _row(
    figures: dict[str, float], title: str, name: str, rule: str, limit: float | None
) -> tuple[str, str, str, bool | None]:
    value = figures[name]
    holds = None if limit is None else value >= limit if rule == "at least" else value <= limit
    return title, f"{value:,.2f}", f"{rule} {limit:,}" if limit is not None else "", holds


def measure() -> dict[str, float]:
    """Return the figures of this area."""
    figures: dict[str, float] = {}
    for part in (_rates, _streams, _polls, _lists):
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as name:
            figures |= uvloop.run(part(Path(name)))
    print_table(
        f"Agents' events ({SINGLES:,} singles, {CONNECTIONS} connections; {EVENTS:,} stored events for lists)",
        [_row(figures, *promise) for promise in _PROMISES],
    )
    return {name: round(value, 3) for name, value in figures.items()}
