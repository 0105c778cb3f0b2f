"""Work that another execution gives to agent workers: a plan with one piece of work, whose end is reported back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidStateTransition, NotFound
from tercet.domain.status import ExecutionStatus
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.engine.state import ExecutionState
from tercet.plans.library import PlanLibrary
from tercet.plans.model import Plan
from tercet.plans.moves import PERFORM_ACTION
from tercet.plans.reading.detect import ImportedPlan
from tercet.plans.starting import PlanRuns
from tercet.plans.workers import ANY_WORKER
from tercet.store.executions import ended_handovers, find_event_key
from tercet.store.listing import tasks_of

REPORTED = "errand:"
"""The key under which an ended errand's report is recorded, before its execution's id."""
_BY = "handover:"
"""Who requested such an execution: `handover:EXECUTION:WORK_ID`."""


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What is to be done, for which execution; `agent_id` empty means any agent worker of the owner."""

    owner_id: str
    execution_id: str
    work_id: str
    agent_id: str
    title: str
    params: dict[str, Any]


class HandOver:
    """Gives errands to agent workers and sends `report_event` {work_id, success, output} when one has ended."""

    def __init__(
        self, engine: Engine, intake: Intake, library: PlanLibrary, runs: PlanRuns, *, report_event: str
    ) -> None:
        self._engine = engine
        self._intake = intake
        self._library = library
        self._runs = runs
        self._report_event = report_event
        engine.state_listeners.append(self._on_state)

    async def start(self) -> None:
        """Report what ended while nobody listened; a report that was taken before is not taken again."""
        for row in await self._engine.reader.read(ended_handovers, _BY, REPORTED):
            self._engine.spawn(self._report(row["id"], row["owner_id"], row["requested_by"], row["status"]))

    async def give(self, errand: Errand) -> None:
        """Offer the errand; the same one again is offered once. Raises NotFound for an unknown agent."""
        subtask = {
            "subtask_id": "errand", "title": errand.title, "action": PERFORM_ACTION, "params": errand.params,
        }  # fmt: skip
        task = {"task_id": "task", "title": errand.title, "subtasks": [subtask]}
        goal = str(errand.params.get("goal", ""))[:10_000]
        phases = [{"phase_id": "phase", "tasks": [task]}]
        plan = Plan.model_validate({"title": errand.title, "goal": goal, "phases": phases})
        key = f"errand-start:{errand.work_id}"
        if await self._engine.reader.read(find_event_key, errand.owner_id, key) is not None:
            return
        imported = ImportedPlan(plan=plan, problems=[], source="handover", calls=[])
        stored = await self._library.add(imported, owner_id=errand.owner_id)
        await self._runs.start(
            stored.id, agent_ids=[errand.agent_id or ANY_WORKER], owner_id=errand.owner_id,
            by=f"{_BY}{errand.execution_id}:{errand.work_id}", idempotency_key=key,
        )  # fmt: skip

    def _on_state(self, state: ExecutionState) -> None:
        if state.plan_id is not None and state.ended and (state.requested_by or "").startswith(_BY):
            assert state.requested_by is not None
            self._engine.spawn(self._report(state.id, state.owner_id, state.requested_by, state.status.value))

    async def _report(self, plan_execution_id: str, owner_id: str, requested_by: str, status: str) -> None:
        execution_id, _, work_id = requested_by.removeprefix(_BY).partition(":")
        await self._engine.journal.barrier()
        tasks = await self._engine.reader.read(tasks_of, plan_execution_id)
        success, output = status == ExecutionStatus.COMPLETED.value, f"the work ended as {status}"
        if success and tasks and tasks[0]["result_data"]:
            results = from_json(tasks[0]["result_data"]).get("subtasks", {})
            output = to_json(results.get("errand", results))
        try:
            await self._intake.join_execution(
                execution_id, owner_id=owner_id, name=self._report_event, source=plan_execution_id,
                data={"work_id": work_id, "success": success, "output": output},
                idempotency_key=f"{REPORTED}{plan_execution_id}",
            )  # fmt: skip
        except (InvalidStateTransition, NotFound):
            return  # what gave the errand has ended: nobody waits for it
