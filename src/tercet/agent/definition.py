"""A registered agent's revision as the engine runs it: one event starts one task, the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.agent.budget_rules import budget_rules
from tercet.agent.config import AgentConfig
from tercet.agent.result import RunResult
from tercet.agent.task import AgentServices, AgentTask, run_agent_task
from tercet.domain.codec import digest
from tercet.domain.errors import NotFound
from tercet.domain.retry import RetryPolicy
from tercet.engine.context import TaskContext
from tercet.engine.definition import BudgetRule, Emission, HandlerSpec, TaskDefinition, Triggered
from tercet.executors.llm import LlmExecutor
from tercet.store import statements as sql
from tercet.store.agents import last_messages
from tercet.tools.security import SecurityContext

RUN_EVENT = "agent.run"
_REMEMBER = "remember"


class AgentDefinition(TaskDefinition):
    """See `engine.Definition`. `handler` is the agent's id, so that the ledger's scope `agent` is this agent."""

    kind = "agent"
    max_hops: int | None = None

    def __init__(
        self,
        config: AgentConfig,
        services: AgentServices,
        *,
        agent_id: str,
        revision_id: str,
        llm: LlmExecutor | None = None,
    ) -> None:
        self.config = config
        self.name = config.name
        self.agent_id = agent_id
        self.budgets: Sequence[BudgetRule] = budget_rules(config.limits)
        self.allow_unpriced = config.limits.allow_unpriced
        self._services = services
        self._revision_id = revision_id
        self.llm = llm
        self._spec = HandlerSpec(
            name=agent_id, executor="agent", retry=RetryPolicy(max_attempts=config.limits.max_retries + 1),
            timeout_seconds=config.limits.timeout_seconds, emits=frozenset(),
        )  # fmt: skip

    def triggered_by(self, event: dict[str, Any]) -> list[Triggered]:
        """See `Definition.triggered_by`."""
        return [Triggered(handler=self.agent_id)] if event["name"] == RUN_EVENT else []

    def handler(self, name: str) -> HandlerSpec:
        """See `Definition.handler`."""
        if name != self.agent_id:
            raise NotFound(f"the agent {self.name!r} has no handler {name!r}")
        return self._spec

    async def run(self, context: TaskContext) -> tuple[Any, list[Emission]]:
        """Run the agent; the result is what `execute` answers, without the conversation: its steps hold that."""
        data = context.event["data"]
        conversation_id = data.get("conversation_id")
        earlier: list[dict[str, Any]] = []
        if conversation_id is not None:
            earlier = await self._earlier(context, conversation_id)
        task = AgentTask(
            config=self.config, prompt=data["input"], sandbox_key=self._revision_id, llm=self.llm,
            history=[_to_message(line) for line in earlier],
            context=SecurityContext.of(data.get("security_context")),
        )  # fmt: skip
        result = await run_agent_task(context, self._services, task)
        if conversation_id is not None:
            await self._remember(context, conversation_id, data["input"], result.response)
        output = run_output(result)
        self._services.feed.answer(context.execution_id, {"task_id": context.task_id, "output": output})
        return output, []

    async def _earlier(self, context: TaskContext, conversation_id: str) -> list[dict[str, str]]:
        async def read() -> list[dict[str, str]]:
            rows = await context.engine.reader.read(
                last_messages, conversation_id, limit=self.config.limits.max_history
            )
            return [{"role": row["role"], "content": row["content"]} for row in rows]

        lines: list[dict[str, str]] = await context.step("history", read)
        return lines

    async def _remember(self, context: TaskContext, conversation_id: str, question: str, answer: str) -> None:
        """Append both lines to the conversation, once: the step and the rows are one commit."""
        if context.claim_step(_REMEMBER) is not None:
            return
        newest = await context.engine.reader.read(last_messages, conversation_id, limit=1)
        seq = newest[-1]["seq"] if newest else 0
        change = context.change()
        for offset, (role, content) in enumerate((("user", question), ("assistant", answer)), start=1):
            change.unit.add(
                sql.INSERT_MESSAGE,
                (conversation_id, seq + offset, role, content, context.execution_id, change.now_ms),
            )
        change.record_step(context.task, _REMEMBER, "true", started_at_ms=change.now_ms)
        await context.engine.submit(change)


def run_output(result: RunResult) -> dict[str, Any]:
    """Return a run's result as it is stored."""
    out: dict[str, Any] = {
        "response": result.response,
        "tool_results": result.tool_results,
        "tokens_used": result.tokens_used,
        "tokens_input": result.tokens_input,
        "tokens_output": result.tokens_output,
        "cost_usd": float(result.cost_usd),
        "turns": result.turns,
        "model_used": result.model_used,
        "conversation_digest": digest(result.messages),
    }
    if result.data is not None:
        out["data"] = result.data
    if result.flags:
        out["flags"] = result.flags
    return out


def _to_message(line: dict[str, str]) -> dict[str, Any]:
    if line["role"] == "assistant":
        return {"role": "assistant", "parts": [{"type": "text", "text": line["content"] or "(no text)"}]}
    return {"role": "user", "content": line["content"]}
