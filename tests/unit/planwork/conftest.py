"""Plans executed by agent workers, on a real node under virtual time."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tercet.domain.codec import digest
from tercet.harness import OWNER
from tercet.humans.decide import Decision
from tercet.plans.reading.detect import ImportedPlan
from tercet.plans.reading.plan_json import read_plan_json
from tercet.plans.report_model import AgentEvent
from tercet.plans.workers import Registration, Worker
from tercet.settings import Settings
from tercet.store.approvals import list_approvals, load_approval
from tercet.store.keys import open_keyring
from tercet.store.listing import get_execution, list_events, tasks_of
from tercet.store.migrate import migrate
from tercet.store.reader import Record
from tercet.store.sqlite import open_reader
from tercet.testing.log_check import differences
from tercet.testing.virtual_time import VirtualClock, VirtualTimeLoop
from tercet.wiring import Tercet, open_tercet

START_MS = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
TWO_STEPS = {
    "title": "Call Carol",
    "phases": [
        {
            "phase_id": "p1",
            "tasks": [
                {
                    "task_id": "t1",
                    "title": "Contact",
                    "subtasks": [
                        {
                            "subtask_id": "a",
                            "title": "Mail",
                            "action": "send_email",
                            "params": {"to": "carol@example.org"},
                        },
                        {"subtask_id": "b", "title": "Notes", "action": "document", "prerequisites": ["a"]},
                    ],
                }
            ],
        }
    ],
}


async def still_here() -> bool:
    return False


@dataclass
class Shop:
    """A node with agent workers and plans."""

    node: Tercet
    clock: VirtualClock

    async def agent(self, name: str, *actions: str) -> Worker:
        body = Registration(agent_id=f"agent_{name}", name=name, capabilities=list(actions))
        return (await self.node.plan_work.workers.register(body, owner_id=OWNER.owner_id)).worker

    async def start(self, plan: dict[str, Any], *agents: Worker | str) -> str:
        read, problems = read_plan_json(plan)
        imported = ImportedPlan(plan=read, problems=problems, source="json", calls=[])
        stored = await self.node.plans.add(imported, owner_id=OWNER.owner_id)
        names = [agent if isinstance(agent, str) else agent.id for agent in agents]
        receipt, _ = await self.node.plan_work.runs.start(
            stored.id, agent_ids=names, owner_id=OWNER.owner_id, by="mark"
        )
        return receipt.execution_id

    async def poll(
        self, agent: Worker, *, wait: float = 0.0, actions: set[str] | None = None
    ) -> dict[str, Any] | None:
        wanted = agent.actions if actions is None else frozenset(actions)
        self.node.plan_work.workers.seen(agent)
        return await self.node.plan_work.work.poll(
            agent, actions=wanted, wait_seconds=wait, is_gone=still_here
        )

    async def take(self, agent: Worker) -> dict[str, Any]:
        work: dict[str, Any] = await self.poll(agent) or {}
        assert work.get("work_available"), work
        task: dict[str, Any] = work["next_task"]
        return task

    async def report(
        self, execution_id: str, agent: Worker, event_type: str, task_id: str | None = None, **fields: Any
    ) -> dict[str, Any]:
        event = AgentEvent(agent_id=agent.id, event_type=event_type, task_id=task_id, **fields)
        return await self.node.plan_work.reports.report(
            execution_id, event, content=digest(event.model_dump(mode="json")), worker=agent
        )

    async def do(self, execution_id: str, agent: Worker, **output: Any) -> str:
        """Take the next work and complete it; return its id."""
        task = await self.take(agent)
        await self.report(execution_id, agent, "task_complete", task["task_id"], output_data=output)
        return str(task["task_id"])

    async def execution(self, execution_id: str) -> Record:
        row = await self.node.reader.read(get_execution, owner_id=OWNER.owner_id, execution_id=execution_id)
        assert row is not None
        return row

    async def status(self, execution_id: str) -> str:
        return str((await self.execution(execution_id))["status"])

    async def tasks(self, execution_id: str) -> dict[str, Record]:
        return {task["handler"]: task for task in await self.node.reader.read(tasks_of, execution_id)}

    async def events(self, execution_id: str) -> list[Record]:
        return await self.node.reader.read(list_events, execution_id=execution_id, limit=500, after_seq=0)

    async def approvals(self) -> list[Record]:
        rows = await self.node.reader.read(
            list_approvals, owner_id=OWNER.owner_id, status="pending", limit=50, after=None
        )
        loaded = [await self.node.reader.read(load_approval, row["id"]) for row in rows]
        return [approval for approval in loaded if approval is not None]

    async def decide(self, decision: str, **fields: Any) -> None:
        """Decide the only open approval."""
        (approval,) = await self.approvals()
        await self.node.decisions.decide(approval["id"], Decision(decision=decision, **fields), by=OWNER)

    async def sleep(self, hours: float) -> None:
        await asyncio.sleep(hours * 3600)


@pytest.fixture
def two_steps() -> dict[str, Any]:
    """Return a plan with one task of two subtasks, one after the other."""
    return TWO_STEPS


Opener = Callable[..., AbstractAsyncContextManager[Shop]]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "tercet.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def shop(tmp_path: Path, migrated: Path) -> Opener:
    """Open a node; afterwards every log must fold to its rows."""
    shutil.copy(migrated, tmp_path / "tercet.db")

    @asynccontextmanager
    async def opened(at_ms: int = START_MS, **settings: Any) -> AsyncIterator[Shop]:
        clock = VirtualClock(at_ms)
        async with open_tercet(Settings(data_dir=tmp_path, **settings), clock=clock, inline=True) as node:
            yield Shop(node, clock)
        engine = open_reader(tmp_path / "tercet.db", open_keyring(tmp_path))
        with engine.connect() as connection:
            assert differences(connection) == []
        engine.dispose()

    return opened


@pytest.fixture
def virtual() -> Callable[[Coroutine[Any, Any, None]], None]:
    """Run a coroutine on a loop with virtual time."""

    def run(work: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(work)

    return run
