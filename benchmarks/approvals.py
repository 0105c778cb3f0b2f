"""100,000 pending approvals: what they cost a server at its start, in seconds and megabytes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import print_table
from tercet.domain.codec import digest, to_json
from tercet.store import statements as sql
from tercet.store.migrate import migrate
from tercet.store.sqlite import open_writer

COUNT = 100_000
_NOW_MS = 1_790_000_000_000
_WEEK_MS = 7 * 86_400_000


def _fill(database: Path) -> None:
    """Write the rows of COUNT executions that each wait for a person."""
    migrate(f"sqlite:///{database}")
    connection = open_writer(database)
    spec, data = (
        to_json({"timeout_seconds": 604_800, "who": {}}),
        to_json({"subject": "Hello", "body": "text " * 20}),
    )
    action = digest({"data": data})
    for start in range(0, COUNT, 5_000):
        numbers = range(start, start + 5_000)
        _insert(connection, numbers, spec, data, action)
        connection.commit()
    connection.close()


def _insert(connection: sqlite3.Connection, numbers: range, spec: str, data: str, action: str) -> None:
    now = _NOW_MS
    many = connection.executemany
    many(sql.INSERT_EXECUTION.sql, [
        (f"exe_{n:026}", "local", "manifest", "bench", None, None, "BLOCKED", "waiting", 1, 0, False, False, now, now,
         None, now, None, None, None)
        for n in numbers
    ])  # fmt: skip
    many(sql.INSERT_TASK.sql, [
        (f"tsk_{n:026}", f"exe_{n:026}", "approve", "human", "BLOCKED", "waiting", 1, None, 0, 100, 1, 0, 4, now, None,
         None, None, None, now, now, None)
        for n in numbers
    ])  # fmt: skip
    many(sql.INSERT_EVENT.sql, [
        (f"exe_{n:026}", 1, "execution_created", "x.y", None, None, None, "QUEUED", None, data, None, None, None, now, None)
        for n in numbers
    ])  # fmt: skip
    many(sql.INSERT_APPROVAL.sql, [
        (f"apr_{n:026}", "local", f"exe_{n:026}", "approve", None, "Approve", "pending", spec, action, 1, 1, None, None, 0,
         now, None, now + _WEEK_MS, None, None, None, None, None, now)
        for n in numbers
    ])  # fmt: skip
    many(sql.INSERT_APPROVAL_ITEM.sql, [
        (f"itm_{n:026}", f"apr_{n:026}", f"exe_{n:026}", f"tsk_{n:026}", "decision", "Approve", data, action, "pending",
         None, None, None, None, now)
        for n in numbers
    ])  # fmt: skip
    many(sql.INSERT_TIMER.sql, [
        (f"tmr_{n:026}", int(time.time() * 1000) + _WEEK_MS, "approval_timeout", None, None, f"apr_{n:026}", None)
        for n in numbers
    ])  # fmt: skip


def _start(folder: Path) -> tuple[float, float]:
    """Start a server; return (seconds until it listens, resident megabytes)."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("ANTHROPIC", "OPENAI"))
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder)],
        stdout=subprocess.PIPE, env=environment, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    seconds = time.perf_counter() - began
    time.sleep(1.0)
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    return seconds, megabytes


def measure() -> dict[str, float]:
    """Return the figures of this area."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as name:
        full, empty = Path(name) / "full", Path(name) / "empty"
        full.mkdir()
        empty.mkdir()
        _fill(full / "tercet.db")
        _start(empty)
        empty_seconds, empty_mb = _start(empty)
        _start(full)
        seconds, megabytes = _start(full)
    extra_mb = megabytes - empty_mb
    print_table(
        f"{COUNT:,} pending approvals",
        [
            ("start-up, s", f"{seconds:.2f}", "under 3", seconds < 3),
            ("start-up of an empty server, s", f"{empty_seconds:.2f}", "", None),
            ("memory above an empty server, MB", f"{extra_mb:.1f}", "at most 50", extra_mb <= 50),
            ("memory of an empty server, MB", f"{empty_mb:.1f}", "", None),
        ],
    )
    return {"approvals.startup_s": round(seconds, 3), "approvals.extra_mb": round(extra_mb, 2)}
