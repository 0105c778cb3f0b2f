"""Processor time of a two-turn run with one tool call, beside the vendor's client and two agent frameworks.

Each contestant runs in an environment of its own against the same mock, one after the other and in rounds; the
best round counts. The mocks run in processes of their own. Import and help times are those of fresh processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from benchmarks.environments import environment
from benchmarks.report import print_table

HERE = Path(__file__).parent / "contestants"
RUNS = 300
ROUNDS = 3
_CLAUDE_PORT, _OPENAI_PORT = 18_787, 18_788
_CONTESTANTS = {
    "raw Anthropic client": ("raw_client.py", _CLAUDE_PORT, "anthropic"),
    "pydantic-ai Agent": ("pydantic_ai_agent.py", _CLAUDE_PORT, "pydantic-ai-slim[anthropic]"),
    "openai-agents": ("openai_runner.py", _OPENAI_PORT, "openai-agents"),
    "Tercet": ("tercet_agent.py", _CLAUDE_PORT, None),
}
_MOCKS = {
    _CLAUDE_PORT: "from tercet.testing.mock_claude import create_app",
    _OPENAI_PORT: "from tercet.testing.mock_openai import create_app",
}
_FIRST_STARTS, _STARTS = 2, 7


def measure() -> dict[str, float]:
    """Run the contest, print the table, return the figures."""
    pythons = {
        name: environment(*([package] if package else [])) for name, (_, _, package) in _CONTESTANTS.items()
    }
    rounds: dict[str, list[float]] = {name: [] for name in _CONTESTANTS}
    with _mocks():
        for _ in range(ROUNDS):
            for name, (script, port, _) in _CONTESTANTS.items():
                rounds[name].append(_cpu_ms(pythons[name], script, port))
    best = {name: min(figures) for name, figures in rounds.items()}
    ours, raw = best["Tercet"], best["raw Anthropic client"]
    framework = min(best["pydantic-ai Agent"], best["openai-agents"])
    import_ms = _start_ms("import tercet")
    help_ms = _start_ms("import sys; sys.argv = ['tercet', '--help']; from tercet.cli import main; main()")
    print_table(
        "Processor time of a run of two turns and one tool call",
        [
            *(
                (name, f"{cpu:.2f} ms", f"{cpu / raw:.2f} of the raw client", None)
                for name, cpu in best.items()
            ),
            ("Tercet to the raw client", f"{ours / raw:.2f}", "at most 2.00", ours / raw <= 2),
            (
                "Tercet to the best framework",
                f"{ours / framework:.2f}",
                "at most 0.50",
                ours / framework <= 0.5,
            ),
            ("import tercet", f"{import_ms:.0f} ms", "under 150 ms", import_ms < 150),
            ("tercet --help", f"{help_ms:.0f} ms", "under 250 ms", help_ms < 250),
        ],
    )
    return {
        "agent.cpu_ms_per_run": round(ours, 3),
        "agent.ratio_to_raw_client": round(ours / raw, 3),
        "agent.ratio_to_best_framework": round(ours / framework, 3),
        "import.tercet_ms": round(import_ms, 1),
        "cli.help_ms": round(help_ms, 1),
    }


def _cpu_ms(python: str, script: str, port: int) -> float:
    done = subprocess.run(
        [python, script, f"http://127.0.0.1:{port}", str(RUNS)], cwd=HERE, check=True, capture_output=True, text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith(("TERCET_", "ANTHROPIC_", "OPENAI_"))},
    )  # fmt: skip
    return float(json.loads(done.stdout)["cpu_ms_per_run"])


@contextmanager
def _mocks() -> Iterator[None]:
    servers = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"{load}\nimport uvicorn\nuvicorn.run(create_app(), port={port}, log_level='error')",
            ]
        )
        for port, load in _MOCKS.items()
    ]
    try:
        for port in _MOCKS:
            _until(lambda port=port: _answers(port))  # type: ignore[misc]
        yield
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/v1/models", headers={"x-api-key": "k"}).status_code < 500
    except httpx.HTTPError:
        return False


def _until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError("a mock did not start")
        time.sleep(0.05)


def _start_ms(code: str) -> float:
    """Return the best time of a fresh process beyond that of an empty one."""
    times = []
    for _ in range(_FIRST_STARTS + _STARTS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    return min(times[_FIRST_STARTS:]) * 1000
