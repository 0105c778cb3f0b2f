"""Starting a plan with its agents, and changing the subtasks of tasks that have not begun."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import NotFound
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake, PlanStart, Receipt
from tercet.plans.definition import PlanDefinition
from tercet.plans.editing import read_edited
from tercet.plans.library import PlanLibrary
from tercet.plans.model import HUMAN_ACTION, Plan, PlanTask
from tercet.plans.progress import Progress
from tercet.plans.workers import ANY_WORKER, Workers
from tercet.store import statements as sql
from tercet.store.executions import agents_of_execution, open_plan_executions
from tercet.store.plans import load_any_plan
from tercet.store.reader import Record
from tercet.store.unit import Unit


class PlanRuns:
    """Executions of plans."""

    def __init__(
        self, engine: Engine, intake: Intake, library: PlanLibrary, workers: Workers, progress: Progress
    ) -> None:
        self._engine = engine
        self._intake = intake
        self._library = library
        self._workers = workers
        self._progress = progress

    async def definition(self, plan_id: str) -> PlanDefinition:
        """Return a plan for the engine, deleted or not: executions keep theirs. Raises NotFound."""
        row = await self._engine.reader.read(load_any_plan, plan_id)
        if row is None:
            raise NotFound(f"there is no plan {plan_id!r}")
        return PlanDefinition(plan_id, Plan.model_validate(from_json(row["body"])), self._progress.follow_up)

    async def start(
        self,
        plan_id: str,
        *,
        agent_ids: list[str],
        owner_id: str,
        by: str,
        idempotency_key: str | None = None,
        retry_of: str | None = None,
    ) -> tuple[Receipt, list[str]]:
        """Start an execution that these agents serve; `*` stands for all of the owner's.

        Returns the receipt and what nobody of them can do. Raises NotFound.
        """
        engine = self._engine
        stored = await self._library.get(plan_id, owner_id=owner_id)
        for agent_id in agent_ids:
            if agent_id != ANY_WORKER:
                self._workers.get(agent_id, owner_id=owner_id)
        definition = await engine.definition_by_id(plan_id)
        assert isinstance(definition, PlanDefinition)
        execution_id, extra = engine.mint.mint("exe"), Unit()
        for agent_id in dict.fromkeys(agent_ids):
            extra.add(sql.INSERT_EXECUTION_AGENT, (execution_id, agent_id))
        plan = PlanStart(
            plan_id=plan_id,
            agent_id=agent_ids[0],
            agents=frozenset(agent_ids),
            tasks_total=len(definition.tasks),
        )
        receipt = await self._intake.start_execution(
            definition, manifest_id=plan_id, owner_id=owner_id, name="plan_started",
            data={"plan_id": plan_id, "agent_ids": agent_ids}, source=by, idempotency_key=idempotency_key,
            retry_of=retry_of, extra=extra, execution_id=execution_id, plan=plan,
        )  # fmt: skip
        return receipt, self._undoable(stored.plan, agent_ids, owner_id)

    async def start_again(self, execution: Record, *, by: str) -> str:
        """Start an ended execution anew with the agents that it had; return the new one's id. Raises NotFound."""
        agent_ids = await self._engine.reader.read(agents_of_execution, execution["id"])
        receipt, _ = await self.start(
            execution["plan_id"],
            agent_ids=agent_ids,
            owner_id=execution["owner_id"],
            by=by,
            retry_of=execution["id"],
        )
        return receipt.execution_id

    async def edit_subtasks(
        self,
        plan_id: str,
        task_id: str,
        value: Any,
        *,
        owner_id: str,
        confidence: float | None = None,
        notes: str = "",
        decomposed: bool = False,
    ) -> PlanTask:
        """Give a task other subtasks. Executions in which it has begun keep theirs. Raises NotFound, InvalidInput."""
        engine = self._engine
        stored = await self._library.get(plan_id, owner_id=owner_id)
        task = next((t for t in stored.plan.tasks if t.task_id == task_id), None)
        if task is None:
            raise NotFound(f"the plan has no task {task_id!r}")
        subtasks = read_edited(value, taken=_other_ids(stored.plan, task_id))
        changed = task.model_copy(
            update={
                "subtasks": subtasks, "decomposed": decomposed or task.decomposed,
                "decomposition_confidence": confidence, "decomposition_notes": notes,
            }
        )  # fmt: skip
        plan = _with_task(stored.plan, changed)
        unit = Unit()
        unit.add(sql.UPDATE_PLAN, (to_json(plan.model_dump(mode="json", by_alias=True)), plan_id))
        await engine.journal.submit(unit)
        engine.replace_definition(plan_id, PlanDefinition(plan_id, plan, self._progress.follow_up))
        for execution_id in await engine.reader.read(open_plan_executions, plan_id):
            async with engine.hold(execution_id) as state:
                waiting = [t for t in state.tasks.values() if t.handler == task_id and t.input is None]
                if waiting and not state.ended:
                    change = engine.change(state)
                    change.moved.extend(waiting)
                    await engine.submit(change)
        return changed

    def _undoable(self, plan: Plan, agent_ids: list[str], owner_id: str) -> list[str]:
        named = [
            worker
            for worker in self._workers.of_owner(owner_id)
            if worker.is_active and (ANY_WORKER in agent_ids or worker.id in agent_ids)
        ]
        actions = dict.fromkeys(
            subtask.action
            for task in plan.tasks
            if task.risk_tier < 3
            for subtask in task.subtasks
            if subtask.action != HUMAN_ACTION
        )
        return [action for action in actions if not any(worker.can(action) for worker in named)]


def _other_ids(plan: Plan, task_id: str) -> set[str]:
    ids = {phase.phase_id for phase in plan.phases}
    for task in plan.tasks:
        ids.add(task.task_id)
        if task.task_id != task_id:
            ids.update(subtask.subtask_id for subtask in task.subtasks)
    return ids


def _with_task(plan: Plan, changed: PlanTask) -> Plan:
    phases = [
        phase.model_copy(
            update={"tasks": [changed if t.task_id == changed.task_id else t for t in phase.tasks]}
        )
        for phase in plan.phases
    ]
    return plan.model_copy(update={"phases": phases})
