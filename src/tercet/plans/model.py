"""A plan as values: phases of tasks of subtasks, and what depends on what (spec 5 §1; the plan JSON of PlanExe's siblings)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tercet.domain.retry import RetryPolicy

HUMAN_ACTION = "human"
"""The action of a subtask that nobody has said how to do: a person does it."""
DependencyType = Literal["finish_to_start", "start_to_start", "finish_to_finish", "start_to_finish"]
PlanId = Annotated[str, Field(min_length=1, max_length=160)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlanSubtask(_Part):
    """An atomic action within a task."""

    subtask_id: PlanId
    title: str = Field(default="", max_length=2_000)
    description: str = Field(default="", max_length=20_000)
    action: str = Field(default=HUMAN_ACTION, max_length=200)
    params: dict[str, Any] = Field(default_factory=dict)
    timeout_hours: float = Field(default=24, gt=0, le=8_760)
    retry_policy: dict[str, Any] = Field(default_factory=dict)
    prerequisites: list[PlanId] = Field(default_factory=list)
    success_criteria: list[str] = Field(default_factory=list)

    @field_validator("retry_policy")
    @classmethod
    def _is_policy(cls, value: dict[str, Any]) -> dict[str, Any]:
        if value:
            RetryPolicy.model_validate(value)
        return value


class PlanTask(_Part):
    """A task that agents or people do. `estimated_hours` are working hours; None is not known."""

    task_id: PlanId
    title: str = Field(default="", max_length=2_000)
    description: str = Field(default="", max_length=20_000)
    assignee_role: str | None = Field(default=None, max_length=500)
    estimated_hours: float | None = Field(default=None, ge=0, le=1_000_000)
    priority: int = Field(default=1, ge=1, le=1_000)
    """1 is the highest."""
    risk_tier: Literal[1, 2, 3] = 1
    """1: an agent alone, 2: an agent with approval, 3: people only."""
    acceptance_criteria: list[str] = Field(default_factory=list)
    is_blocking: bool = False
    decomposed: bool = False
    """Whether its subtasks were made by decomposition, as the next two fields tell of."""
    decomposition_confidence: float | None = Field(default=None, ge=0, le=1)
    decomposition_notes: str = Field(default="", max_length=20_000)
    prerequisites: list[PlanId] = Field(default_factory=list)
    subtasks: list[PlanSubtask] = Field(default_factory=list)


class PlanPhase(_Part):
    """A stretch of the plan."""

    phase_id: PlanId
    name: str = Field(default="", max_length=2_000)
    duration_weeks: float | None = Field(default=None, ge=0, le=10_000)
    tasks: list[PlanTask] = Field(default_factory=list)


class Dependency(_Part):
    """`to` depends on `from`; ids of tasks or of phases. The lag may be negative: a lead."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    from_id: PlanId = Field(alias="from")
    to_id: PlanId = Field(alias="to")
    type: DependencyType = "finish_to_start"
    lag_hours: float = Field(default=0, ge=-1_000_000, le=1_000_000)
    reason: str = Field(default="", max_length=5_000)


class Risk(_Part):
    """What may go wrong, and what is done about it."""

    risk_id: PlanId
    description: str = Field(default="", max_length=20_000)
    mitigation: str = Field(default="", max_length=20_000)


class Plan(_Part):
    """A plan as it was imported. Ids are unique within it."""

    title: str = Field(min_length=1, max_length=2_000)
    goal: str = Field(default="", max_length=200_000)
    phases: list[PlanPhase] = Field(default_factory=list)
    dependencies: list[Dependency] = Field(default_factory=list)
    roles_required: list[str] = Field(default_factory=list)
    risks: list[Risk] = Field(default_factory=list)

    @property
    def tasks(self) -> Iterator[PlanTask]:
        """All tasks, in order."""
        for phase in self.phases:
            yield from phase.tasks

    def all_dependencies(self) -> list[Dependency]:
        """Return the dependencies, with the tasks' prerequisites among them, each once."""
        found = {(d.from_id, d.to_id, d.type): d for d in self.dependencies}
        for task in self.tasks:
            for before in task.prerequisites:
                found.setdefault(
                    (before, task.task_id, "finish_to_start"), Dependency(from_id=before, to_id=task.task_id)
                )
        return list(found.values())
