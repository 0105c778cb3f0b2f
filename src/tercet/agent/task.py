"""An agent's run as a task of the engine: plan, rounds, workspace, the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tercet.agent.audit_book import AuditBook
from tercet.agent.config import AgentConfig
from tercet.agent.engine_steps import EngineSteps
from tercet.agent.feed import RunFeed
from tercet.agent.loop import AgentLoop
from tercet.agent.plan import Surroundings, make_plan
from tercet.agent.result import RunResult
from tercet.domain.codec import to_json
from tercet.domain.errors import AgentFailed, HandlerFailed, LimitReached, NonRetryable, TercetError
from tercet.engine.context import TaskContext
from tercet.executors.llm import LlmExecutor
from tercet.tools.catalog import ToolCatalog
from tercet.tools.result_cache import ResultCache
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.security import SecurityContext
from tercet.tools.workspace import Workspace

_TRY_AGAIN = frozenset({"OUTPUT_INVALID", "AGENT_REPORTED_FAILURE"})
"""Failures of the answer itself: another round may give a better one."""
_MOST_SANDBOXES = 5_000


class AgentRunFailed(HandlerFailed):
    """The run ended without an answer that can be used; another round may help."""

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


class AgentRunRefused(NonRetryable):
    """The run ended, and would end the same way again."""

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


@dataclass(kw_only=True)
class AgentServices:
    """What a node gives its agents."""

    catalog: ToolCatalog
    llm: LlmExecutor
    resolve_model: Callable[[str], str]
    audit: AuditBook
    workspaces: Path
    feed: RunFeed = field(default_factory=RunFeed)
    cache: ResultCache | None = None
    make_sandbox: Callable[[], ToolSandbox] = ToolSandbox
    _sandboxes: dict[str, ToolSandbox] = field(default_factory=dict)

    def sandbox_of(self, key: str) -> ToolSandbox:
        """Return the sandbox of an agent: its rate limits outlive a run."""
        sandbox = self._sandboxes.get(key)
        if sandbox is None:
            if len(self._sandboxes) >= _MOST_SANDBOXES:
                self._sandboxes.pop(next(iter(self._sandboxes)))
            sandbox = self._sandboxes[key] = self.make_sandbox()
        return sandbox


@dataclass(frozen=True, kw_only=True)
class AgentTask:
    """What to run."""

    config: AgentConfig
    prompt: str
    sandbox_key: str
    history: list[dict[str, Any]] = field(default_factory=list)
    context: SecurityContext = field(default_factory=SecurityContext)
    llm: LlmExecutor | None = None
    """Another model client than the node's, for agents with a key of their own."""
    check: Callable[[RunResult], None] | None = None
    """Raises HandlerFailed for an answer that does not count as one."""


async def run_agent_task(context: TaskContext, services: AgentServices, task: AgentTask) -> RunResult:
    """Run to the answer. Raises AgentRunFailed, AgentRunRefused, and what the engine raises."""
    round_ = 0
    while f"failed:{round_}" in context.memo:
        round_ += 1
    steps = EngineSteps(
        context=context, llm=task.llm or services.llm, feed=services.feed, audit=services.audit,
        resolve_model=services.resolve_model, round=round_,
    )  # fmt: skip
    workspace = Workspace(services.workspaces / context.execution_id / context.task_id)
    around = Surroundings(
        catalog=services.catalog, workspace=workspace, sandbox=services.sandbox_of(task.sandbox_key),
        context=task.context, cache=services.cache, owner_id=context.state.owner_id,
    )  # fmt: skip
    steps.report(
        "task.started", {"task_id": context.task_id, "agent": task.config.name, "attempt": context.attempt}
    )
    rules = task.config.workspace
    try:
        plan = await make_plan(task.config, around)
        loop = AgentLoop(plan, steps, task_id=context.task_id)
        result = await loop.run(task.history, task.prompt)
        if task.check is not None:
            task.check(result)
    except (AgentFailed, LimitReached, AgentRunFailed) as error:
        failure = await _end_round(context, round_, error)
        if isinstance(failure, NonRetryable):
            workspace.finish(
                success=False, cleanup=rules.cleanup, snapshot_on_failure=rules.snapshot_on_failure
            )
        raise failure from error
    workspace.finish(success=True, cleanup=rules.cleanup, snapshot_on_failure=rules.snapshot_on_failure)
    return result


async def _end_round(context: TaskContext, round_: int, error: TercetError) -> HandlerFailed:
    """Record that this round's steps led nowhere, so that the next attempt does not replay them."""
    code = getattr(error, "error_type", None) or error.code
    step = f"failed:{round_}"
    context.claim_step(step)
    await context.record(
        step,
        to_json({"error_type": code, "message": str(error)}),
        started_at_ms=context.engine.clock.now_ms(),
    )
    kind = AgentRunFailed if code in _TRY_AGAIN else AgentRunRefused
    return kind(code, str(error))
