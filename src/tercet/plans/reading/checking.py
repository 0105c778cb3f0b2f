"""What a plan from outside has to keep, however it was written: unique ids, dependencies that name something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tercet.domain.errors import InvalidInput
from tercet.plans.model import Dependency, Plan, PlanPhase, PlanSubtask, PlanTask
from tercet.plans.problems import PlanProblem


def checked(plan: Plan, *, file: str) -> tuple[Plan, list[PlanProblem]]:
    """Return the plan without dependencies that lead nowhere, and those. Raises InvalidInput for ids that occur twice."""
    ids = list(_ids(plan))
    twice = [name for name, count in Counter(ids).items() if count > 1]
    if twice:
        raise InvalidInput(
            f"{file}: the id {twice[0]!r} occurs twice", hint="ids are unique in a plan",
            detail=[{"field": name, "rule": "occurs twice"} for name in twice[:100]],
        )  # fmt: skip
    tasks = {task.task_id for task in plan.tasks}
    known = tasks | {phase.phase_id for phase in plan.phases}
    problems: list[PlanProblem] = []
    kept = [d for d in plan.dependencies if _holds(d, known, problems, file)]
    phases = [_phase(phase, tasks, problems, file) for phase in plan.phases]
    return plan.model_copy(update={"dependencies": kept, "phases": phases}), problems


def _ids(plan: Plan) -> Iterator[str]:
    for phase in plan.phases:
        yield phase.phase_id
        for task in phase.tasks:
            yield task.task_id
            yield from (subtask.subtask_id for subtask in task.subtasks)


def _holds(dependency: Dependency, known: set[str], problems: list[PlanProblem], file: str) -> bool:
    missing = [name for name in (dependency.from_id, dependency.to_id) if name not in known]
    if missing:
        _dangling(problems, file, dependency.to_id, missing[0])
    return not missing


def _phase(phase: PlanPhase, tasks: set[str], problems: list[PlanProblem], file: str) -> PlanPhase:
    return phase.model_copy(update={"tasks": [_task(task, tasks, problems, file) for task in phase.tasks]})


def _task(task: PlanTask, tasks: set[str], problems: list[PlanProblem], file: str) -> PlanTask:
    subtasks = {subtask.subtask_id for subtask in task.subtasks}
    return task.model_copy(
        update={
            "prerequisites": _known(task.prerequisites, tasks, task.task_id, problems, file),
            "subtasks": [_subtask(subtask, subtasks, problems, file) for subtask in task.subtasks],
        }
    )


def _subtask(subtask: PlanSubtask, known: set[str], problems: list[PlanProblem], file: str) -> PlanSubtask:
    kept = _known(subtask.prerequisites, known, subtask.subtask_id, problems, file)
    return subtask.model_copy(update={"prerequisites": kept})


def _known(
    names: list[str], known: set[str], owner: str, problems: list[PlanProblem], file: str
) -> list[str]:
    for name in names:
        if name not in known:
            _dangling(problems, file, owner, name)
    return [name for name in names if name in known]


def _dangling(problems: list[PlanProblem], file: str, owner: str, name: str) -> None:
    problems.append(
        PlanProblem(
            place=f"{file}: {owner}", rule="dangling-dependency", message=f"{owner!r} depends on {name!r}, which does not exist",
            hint="the dependency was left out",
        )
    )  # fmt: skip
