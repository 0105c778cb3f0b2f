"""A real server is killed with SIGKILL at random moments; afterwards nothing is lost, doubled or run twice."""

from __future__ import annotations

import atexit
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from tercet.store.keys import open_keyring
from tercet.store.sqlite import open_reader
from tercet.store.tables import execution_subtasks
from tercet.testing.log_check import differences

HERE = Path(__file__).parent
JOBS = 300
KILLS = 12
pytestmark = pytest.mark.crash


class Server:
    """A `tercet serve` process over one data folder."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "CRASH_RUNS": str(folder / "runs.txt"), "TERCET_LOG_LEVEL": "ERROR"}
        command = [
            sys.executable, "-m", "tercet", "serve", "--port", "0", "--data-dir", str(folder),
            "--manifest", str(HERE / "crash_manifest.yaml"),
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
        # Nothing stays behind when a check in the middle fails.
        atexit.register(self.process.kill)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Tercet is listening on "), line
        self.address = line.rsplit(" ", 1)[1].strip()
        token = (folder / "admin-token").read_text().strip()
        self.http = httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {token}"}, timeout=10
        )

    def end(self, number: int) -> None:
        self.http.close()
        self.process.send_signal(number)
        self.process.wait(timeout=30)
        atexit.unregister(self.process.kill)
        assert self.process.stdout is not None
        self.process.stdout.close()


def send_jobs(server: Server, numbers: list[int]) -> set[int]:
    """Send jobs until the server dies; return those that were acknowledged."""
    acknowledged: set[int] = set()
    for start in range(0, len(numbers), 10):
        chunk = numbers[start : start + 10]
        body = [
            {"name": "job.sent", "data": {"job_id": f"j{n}"}, "idempotency_key": f"key-{n}"} for n in chunk
        ]
        try:
            answer = server.http.post("/api/v1/events", json=body)
        except httpx.HTTPError:
            return acknowledged
        assert answer.status_code == 201, answer.text
        acknowledged |= set(chunk)
    return acknowledged


def wait_until_done(server: Server) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for status in ("QUEUED", "RUNNING", "BLOCKED"):
            found = server.http.get("/api/v1/executions", params={"status": status, "limit": 1}).json()[
                "items"
            ]
            if found:
                break
        else:
            return
        time.sleep(0.05)
    raise AssertionError(f"executions are still open: {found}")


@pytest.fixture(scope="module")
def crashed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run JOBS jobs through KILLS kills to their end; return the data folder."""
    folder = tmp_path_factory.mktemp("crash")
    rng = random.Random(7)
    missing = list(range(JOBS))
    for _ in range(KILLS):
        server = Server(folder)
        killer = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import time,os; time.sleep({rng.uniform(0.02, 0.5)}); os.kill({server.process.pid}, 9)",
            ]
        )
        acknowledged = send_jobs(server, missing)
        missing = [number for number in missing if number not in acknowledged]
        killer.wait(timeout=30)
        server.end(signal.SIGKILL)
    server = Server(folder)
    while missing:
        acknowledged = send_jobs(server, missing)
        missing = [number for number in missing if number not in acknowledged]
    wait_until_done(server)
    server.end(signal.SIGTERM)
    assert server.process.returncode == 0
    return folder


def connect(folder: Path) -> sa.Connection:
    return open_reader(folder / "tercet.db", open_keyring(folder)).connect()


def test_every_execution_completes_and_no_event_is_lost_or_doubled(crashed_folder: Path) -> None:
    with connect(crashed_folder) as connection:
        statuses: dict[str, int] = dict(
            connection.execute(sa.text("SELECT status, count(*) FROM executions GROUP BY 1")).all()
        )
        names = Counter(
            connection.execute(
                sa.text(
                    "SELECT name FROM execution_events WHERE event_type IN ('execution_created', 'event_recorded')"
                )
            ).scalars()
        )

    assert statuses == {"COMPLETED": JOBS}
    assert names == {"job.sent": JOBS, "job.halved": 2 * JOBS, "job.joined": JOBS}


def test_no_completed_step_runs_again(crashed_folder: Path) -> None:
    runs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in (crashed_folder / "runs.txt").read_text().splitlines():
        task_id, step, run = line.split()
        runs[task_id, step].append(run)
    with connect(crashed_folder) as connection:
        recorded = {
            (task_id, name): result.strip('"')
            for task_id, name, result in connection.execute(
                sa.select(
                    execution_subtasks.c.task_id, execution_subtasks.c.name, execution_subtasks.c.result_data
                ).where(execution_subtasks.c.name.not_like("sleep%"))
            )
        }

    # A step may run again only when its earlier run was never recorded: so the recorded run is the last one.
    assert {key: last[-1] for key, last in runs.items()} == recorded
    assert len(recorded) == JOBS * (2 + 2 * 2 + 1)


def test_every_log_folds_to_its_rows(crashed_folder: Path) -> None:
    with connect(crashed_folder) as connection:
        assert differences(connection) == []
