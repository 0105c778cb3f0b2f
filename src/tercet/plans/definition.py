"""A plan as the engine runs it: tasks that wait for each other, done by agent workers and people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tercet.domain.errors import NotFound
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, HandlerSpec, TaskDefinition, Triggered
from tercet.engine.state import TaskState
from tercet.plans.gates import find_gates
from tercet.plans.model import Plan, PlanSubtask
from tercet.plans.moves import implicit_subtask, read_subtasks
from tercet.store.executions import WORKER

if TYPE_CHECKING:
    from tercet.engine.changes import Change

_LONGEST_NAME = 200


class PlanDefinition(TaskDefinition):
    """The definition port of `engine.definition` over a plan. `follow_up` says what follows from a change."""

    kind = "plan"
    max_hops: int | None = None
    budgets: Sequence[BudgetRule] = ()
    allow_unpriced = False

    def __init__(self, plan_id: str, plan: Plan, follow_up: Callable[[Change, PlanDefinition], None]) -> None:
        self.plan_id = plan_id
        self.plan = plan
        self.name = plan.title[:_LONGEST_NAME]
        self.tasks = {task.task_id: task for task in plan.tasks}
        self.positions = {task_id: position for position, task_id in enumerate(self.tasks)}
        self.task_of = {task_id: task_id for task_id in self.tasks} | {
            subtask.subtask_id: task.task_id for task in plan.tasks for subtask in task.subtasks
        }
        """The task that an id of the plan belongs to."""
        self.gates = find_gates(plan)
        self._follow_up = follow_up

    def subtasks_of(self, task: TaskState, doable: Callable[[str], bool]) -> Sequence[PlanSubtask]:
        """Return a task's subtasks: as they were when it began, or as the plan has them now."""
        if task.input is not None:
            return read_subtasks(task.input)
        planned = self.tasks[task.handler]
        return planned.subtasks or (implicit_subtask(planned, doable),)

    def follow_up(self, change: Change) -> None:
        """Carry the tasks on."""
        self._follow_up(change, self)

    def triggered_by(self, event: dict[str, Any]) -> Sequence[Triggered]:
        """Return nothing: a plan's tasks follow from each other, not from events."""
        return ()

    def handler(self, name: str) -> HandlerSpec:
        """Return how a plan's task is run. Raises NotFound."""
        if name not in self.tasks:
            raise NotFound(f"the plan has no task {name!r}")
        return HandlerSpec(name=name, executor=WORKER, priority=self.tasks[name].priority)

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Raise NotFound: agent workers and people do a plan's tasks, never this process."""
        raise NotFound(f"the task {context.task.handler!r} is done by agent workers")
