"""Has tasks decomposed and plans written: by a model as a run of an agent, else by rules (spec 5 §3)."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tercet.agent.agents import Agents, RegisteredAgent
from tercet.agent.config import AgentConfig
from tercet.agent.runs import AgentRuns
from tercet.domain.codec import to_json
from tercet.domain.errors import AgentFailed
from tercet.domain.status import ExecutionStatus
from tercet.plans.decomposition import (
    DecomposeIn,
    Decomposition,
    check_decomposition,
    split_by_rules,
    to_plan_subtasks,
)
from tercet.plans.library import PlanLibrary, StoredPlan
from tercet.plans.reading.detect import ImportedPlan
from tercet.plans.reading.plan_json import read_plan_json
from tercet.plans.starting import PlanRuns
from tercet.plans.workers import Worker

ModelT = TypeVar("ModelT", bound=BaseModel)
WRITER_NAME = "plan-writer"
_SPLIT = (
    "You split one task of a plan into small actions for an agent. Use only the given capabilities as actions. "
    "Give each action the params that it needs, what it depends on, and how one sees that it worked. "
    "decomposition_confidence is how sure you are that the actions together do the task: say 0.5 when you guess."
)
_WRITE = (
    "You write plans. Answer with phases of tasks; each task has an id, a title, estimated_hours, prerequisites (ids of "
    "tasks), and, when the plan is for agents, subtasks with an action (a short snake_case verb) and params. "
    "Ids are unique in the plan. Name the risks with their mitigation."
)


class PlanIn(BaseModel):
    """What `POST /plans/generate` takes."""

    model_config = ConfigDict(extra="forbid")

    goal: str = Field(min_length=3, max_length=50_000)
    title: str | None = Field(default=None, min_length=1, max_length=500)
    agent_capable: bool = True
    """Whether tasks are split into actions for agents."""
    output_format: str = Field(default="json", pattern="^(json|csv)$")
    model: str | None = Field(default=None, max_length=200)


class Planner:
    """`asks_model` tells whether there is a model to ask: without one the rules answer, and say so."""

    def __init__(
        self, agents: Agents, agent_runs: AgentRuns, library: PlanLibrary, plan_runs: PlanRuns, *,
        asks_model: bool, min_confidence: float,
    ) -> None:  # fmt: skip
        self._agents = agents
        self._agent_runs = agent_runs
        self._library = library
        self._plan_runs = plan_runs
        self._asks_model = asks_model
        self._min_confidence = min_confidence

    async def decompose(self, worker: Worker, body: DecomposeIn, *, by: str) -> dict[str, Any]:
        """Split a task; keep the result when a plan is named. Raises NotFound, AgentFailed."""
        capabilities = body.agent_capabilities or sorted(worker.actions - {"*"})
        if worker.model is not None and self._asks_model:
            agent = await self._agents.get(worker.id, owner_id=worker.owner_id)
            config = agent.config.model_copy(
                update={"instructions": _SPLIT, "output_schema": Decomposition.model_json_schema()}
            )
            question = body.model_dump(mode="json", exclude={"plan_id"}) | {
                "agent_capabilities": capabilities
            }
            split = await self._ask(agent, config, question, Decomposition, by=by)
        else:
            split = split_by_rules(body.task, capabilities)
        checked, order = check_decomposition(split, body.task.task_id, capabilities)
        confidence = checked.decomposition_confidence
        stored = False
        if body.plan_id is not None:
            await self._plan_runs.edit_subtasks(
                body.plan_id, body.task.task_id, to_plan_subtasks(checked), owner_id=worker.owner_id,
                confidence=confidence, notes=checked.notes, decomposed=True,
            )  # fmt: skip
            stored = True
        return {
            "task_id": body.task.task_id,
            **checked.model_dump(mode="json"),
            "execution_sequence": order,
            "human_review_required": confidence < self._min_confidence,
            "stored": stored,
        }

    async def generate(self, body: PlanIn, *, owner_id: str, by: str) -> StoredPlan:
        """Write a plan for a goal and store it. Raises AgentFailed, InvalidInput."""
        if self._asks_model:
            agent = await self._writer(owner_id, body.model)
            written = await self._ask(agent, agent.config, body.model_dump(mode="json"), WrittenPlan, by=by)
            draft = written.model_dump(mode="json", exclude_none=True)
        else:
            draft = _outline(body)
        plan, problems = read_plan_json({**draft, "title": body.title or draft["title"], "goal": body.goal})
        imported = ImportedPlan(plan=plan, problems=problems, source="generated", calls=[])
        return await self._library.add(imported, owner_id=owner_id)

    async def _writer(self, owner_id: str, model: str | None) -> RegisteredAgent:
        """Return the owner's agent that writes plans; it is made with the first plan."""
        for agent in await self._agents.all(owner_id=owner_id, limit=500):
            if agent.config.name == WRITER_NAME and (model is None or agent.config.model == model):
                return agent
        config = AgentConfig(
            name=WRITER_NAME, instructions=_WRITE, output_schema=WrittenPlan.model_json_schema(),
            **({"model": model} if model else {}),
        )  # fmt: skip
        return await self._agents.create(config, owner_id=owner_id)

    async def _ask(
        self,
        agent: RegisteredAgent,
        config: AgentConfig,
        question: dict[str, Any],
        answer: type[ModelT],
        *,
        by: str,
    ) -> ModelT:
        pinned = await self._agents.pin(agent, config)
        execution_id = await self._agent_runs.start(pinned, to_json(question), source=by)
        status = await self._agent_runs.wait(execution_id)
        if status is not ExecutionStatus.COMPLETED:
            await self._agent_runs.outcome(execution_id)
            raise AgentFailed(f"the run {execution_id} is {status}: it has no answer yet")
        outcome = await self._agent_runs.outcome(execution_id)
        try:
            return answer.model_validate((outcome["output"] or {}).get("data"))
        except ValidationError as error:
            raise AgentFailed(
                "the model's answer does not fit",
                code="DECOMPOSITION_FAILED",
                hint="try again, or edit the subtasks",
            ) from error


class _Step(BaseModel):
    subtask_id: str
    title: str
    action: str
    params: dict[str, Any] = Field(default_factory=dict)
    prerequisites: list[str] = Field(default_factory=list)


class _Task(BaseModel):
    task_id: str
    title: str
    description: str = ""
    estimated_hours: float | None = None
    assignee_role: str | None = None
    prerequisites: list[str] = Field(default_factory=list)
    subtasks: list[_Step] = Field(default_factory=list)


class _Phase(BaseModel):
    phase_id: str
    name: str
    tasks: list[_Task]


class _Risk(BaseModel):
    risk_id: str
    description: str
    mitigation: str = ""


class WrittenPlan(BaseModel):
    """A plan as a model writes it."""

    title: str
    phases: list[_Phase] = Field(min_length=1)
    risks: list[_Risk] = Field(default_factory=list)


def _outline(body: PlanIn) -> dict[str, Any]:
    """Return the outline that needs no model: prepare, do, check; people do each task, or agents that can."""
    goal = body.goal.strip().splitlines()[0][:200]
    names = (("prepare", "Prepare"), ("do", "Do"), ("check", "Check"))
    phases = [
        {
            "phase_id": f"phase_{number}",
            "name": title,
            "tasks": [
                {
                    "task_id": f"task_{number}_1", "title": f"{title}: {goal}",
                    "prerequisites": [f"task_{number - 1}_1"] if number > 1 else [],
                }
            ],
        }
        for number, (_, title) in enumerate(names, start=1)
    ]  # fmt: skip
    return {"title": goal, "phases": phases}
