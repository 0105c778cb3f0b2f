"""Turns that a model does: planner and reviewer without tools, the executor with tools in a workspace."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from tercet.agent.agents import Agents
from tercet.agent.config import AgentConfig, Limits
from tercet.agent.engine_steps import EngineSteps
from tercet.agent.loop import AgentLoop
from tercet.agent.plan import AgentPlan, Surroundings, make_plan
from tercet.agent.task import AgentRunRefused, AgentServices
from tercet.domain.errors import AgentFailed
from tercet.engine.calls import ExecutorRefused
from tercet.engine.context import TaskContext
from tercet.executors.llm import LlmExecutor
from tercet.loop.config import (
    EXECUTOR_SYSTEM_PROMPT,
    PLANNER_SYSTEM_PROMPT,
    REVIEWER_SYSTEM_PROMPT,
    LoopConfig,
)
from tercet.loop.outputs import OutputStore, with_stubs
from tercet.loop.ports import Role
from tercet.loop.state import ExecutorOutput
from tercet.loop.step_executors import StepTurn, failed, raise_if_spent
from tercet.tools.workspace import Workspace

_SYSTEM: dict[Role, str] = {"planner": PLANNER_SYSTEM_PROMPT, "reviewer": REVIEWER_SYSTEM_PROMPT}
_MOST_AGENTS = 500
_LONGEST_TURN_SECONDS = 3_600.0


@dataclass(frozen=True, kw_only=True)
class AgentTurns:
    """Asks models within a loop's task: every model turn and tool call is one of its steps."""

    services: AgentServices
    agents: Agents

    async def ask(
        self, context: TaskContext, config: LoopConfig, role: Role, prompt: str, prefix: str
    ) -> str:
        """Return the answer of a role. Raises CostLimitReached, and what the agent's loop raises."""
        agent = AgentConfig(
            name=f"the {role}", instructions=_instructions(_SYSTEM[role] + _tools_line(role, config), config), model=config.model,
            limits=Limits(max_turns=1, max_cost_usd=None),
        )  # fmt: skip
        plan = await make_plan(agent, self._surroundings(context, config))
        try:
            return await self._run(context, plan, prompt, prefix)
        except AgentFailed as error:
            # The same prompt would fail the same way; another attempt would only pay for it again.
            raise AgentRunRefused(error.code, str(error)) from error

    async def act(self, turn: StepTurn) -> str | ExecutorOutput:
        """Have an agent do a step: the loop's own, or one of the registry by name or id."""
        context, config, llm = turn.context, turn.config, None
        if turn.target:
            found = await self._registered(context.state.owner_id, turn.target)
            if found is None:
                return failed(f"there is no active agent {turn.target!r}")
            agent, llm = found
        else:
            agent = _own_agent(config)
        plan = await make_plan(agent, self._surroundings(context, config))
        store = OutputStore(self._folder(context, "outputs"))
        timeout = asyncio.timeout(agent.limits.timeout_seconds)
        try:
            async with timeout:
                stubbed = with_stubs(plan, store, turn.prefix)
                return await self._run(context, stubbed, turn.prompt, turn.prefix, llm)
        except TimeoutError:
            if not timeout.expired():
                raise
            return failed(f"{agent.name} gave no answer within {agent.limits.timeout_seconds:g} seconds")

    async def _run(
        self, context: TaskContext, plan: AgentPlan, prompt: str, prefix: str, llm: LlmExecutor | None = None
    ) -> str:
        services = self.services
        steps = EngineSteps(
            context=context, llm=llm or services.llm, feed=services.feed, audit=services.audit,
            resolve_model=services.resolve_model,
        )  # fmt: skip
        try:
            result = await AgentLoop(plan, steps, task_id=context.task_id, prefix=prefix).run([], prompt)
        except ExecutorRefused as error:
            raise_if_spent(error)
            raise
        return result.response

    async def _registered(self, owner_id: str, target: str) -> tuple[AgentConfig, LlmExecutor | None] | None:
        for agent in await self.agents.all(owner_id=owner_id, limit=_MOST_AGENTS):
            if agent.is_active and target in (agent.id, agent.config.name):
                definition = await self.agents.definition(agent.revision_id)
                return _reporting(agent.config), definition.llm
        return None

    def _surroundings(self, context: TaskContext, config: LoopConfig) -> Surroundings:
        folder = Path(config.workspace) if config.workspace else self._folder(context, "files")
        return Surroundings(
            catalog=self.services.catalog, workspace=Workspace(folder), cache=self.services.cache,
            sandbox=self.services.sandbox_of(f"loop:{context.execution_id}"), owner_id=context.state.owner_id,
        )  # fmt: skip

    def _folder(self, context: TaskContext, name: str) -> Path:
        return self.services.workspaces / context.execution_id / name


def _own_agent(config: LoopConfig) -> AgentConfig:
    return AgentConfig(
        name="the executor", instructions=_instructions(EXECUTOR_SYSTEM_PROMPT, config), model=config.model,
        tools=dict.fromkeys(config.tools, True),
        limits=Limits(
            max_turns=config.max_turns, max_tokens=config.max_tokens, max_cost_usd=None,
            timeout_seconds=_LONGEST_TURN_SECONDS,
        ),
    )  # fmt: skip


def _reporting(agent: AgentConfig) -> AgentConfig:
    """A registered agent keeps its tools and limits, and reports as the loop needs it."""
    instructions = f"{agent.instructions}\n\n{EXECUTOR_SYSTEM_PROMPT}".strip()
    return agent.model_copy(update={"instructions": instructions, "output_schema": None})


def _tools_line(role: Role, config: LoopConfig) -> str:
    """A planner plans what can be done; a reviewer has no use for the names of tools."""
    if role == "reviewer" or "agent" not in config.executors:
        return ""
    return f"\n\nThe executor `agent` has the tools: {', '.join(config.tools) or 'none'}."


def _instructions(role: str, config: LoopConfig) -> str:
    return f"{role}\n\n{config.instructions}".strip()
