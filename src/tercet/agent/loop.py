"""The loop: request → tool calls → next turn, until an answer, a limit or a failure (spec 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

from tercet.agent.context_fit import ContextFit
from tercet.agent.conversation import Conversation, Message, tool_calls
from tercet.agent.plan import AgentPlan
from tercet.agent.ports import RunSteps
from tercet.agent.result import RunResult
from tercet.agent.stuck import StuckWatch
from tercet.agent.toolbox import TASK_TOOL
from tercet.domain.codec import from_json
from tercet.domain.contract import Constraints, ExecutorRequest, ExecutorResult, TaskSpec
from tercet.domain.errors import AgentFailed, ContextLengthExceededError, StaleClaim, ToolExecutionError
from tercet.domain.schema_check import schema_violation
from tercet.tools.guard import ToolCall, ToolOutcome, refused

_LONGEST_QUOTE = 500


class AgentLoop:
    """One run of one agent. `prefix` keeps the step names of sub-agents apart."""

    def __init__(self, plan: AgentPlan, steps: RunSteps, *, task_id: str, prefix: str = "") -> None:
        self._plan = plan
        self._config = plan.config
        self._steps = steps
        self._task_id = task_id
        self._prefix = prefix
        self._stuck = StuckWatch()
        self._calls_made = 0
        self._corrected = False
        self.result = RunResult()

    async def run(self, history: Sequence[Message], prompt: str) -> RunResult:
        """Run to the answer. Raises TercetErrors; what was used until then stands in `result`."""
        conversation = Conversation([*history, {"role": "user", "content": prompt}])
        fit = ContextFit(self._config, self._plan.system, self._plan.definitions, self._steps, self.result)
        for turn in range(1, self._config.limits.max_turns + 1):
            answer = await self._turn(turn, conversation, fit)
            assert answer.result is not None
            parts = answer.result["parts"]
            conversation.add({"role": "assistant", "parts": parts or [{"type": "text", "text": "(no text)"}]})
            calls = tool_calls(parts)
            if calls:
                conversation.add({"role": "tool", "results": await self._make_calls(turn, calls)})
            elif self._is_answer(answer.result, conversation):
                self.result.messages = conversation.messages
                return self.result
        raise AgentFailed(
            f"no answer within {self._config.limits.max_turns} turns", code="TURN_LIMIT_REACHED",
            hint="raise limits.max_turns, or give the agent a smaller task",
        )  # fmt: skip

    async def _turn(self, turn: int, conversation: Conversation, fit: ContextFit) -> ExecutorResult:
        self.result.turns = turn
        step = f"{self._prefix}turn:{turn}"
        await fit.make_room(conversation, self._request, step)
        try:
            answer = await self._ask(step, conversation)
        except ContextLengthExceededError:
            await fit.make_room(conversation, self._request, step, refused_by_provider=True)
            answer = await self._ask(f"{step}:again", conversation)
        self.result.count(answer)
        if answer.result is not None and answer.result.get("truncated"):
            self.result.flag("truncated")
        return answer

    async def _ask(self, step: str, conversation: Conversation) -> ExecutorResult:
        return await self._steps.model_turn(
            step, self._request(conversation), fallback_models=self._config.fallback_models
        )

    def _request(self, conversation: Conversation) -> ExecutorRequest:
        config = self._config
        fields: dict[str, Any] = {
            "task_type": config.name,
            "messages": conversation.messages,
            "system": self._plan.system,
            "tools": self._plan.definitions,
            "output_schema": config.output_schema,
            "model": config.model,
            "cache_prompt": bool(self._plan.definitions),
        }
        limits = config.limits
        return ExecutorRequest.model_construct(
            task_id=self._task_id,
            executor_type="llm",
            task=TaskSpec.model_validate(fields),
            constraints=Constraints(
                max_tokens=limits.max_tokens, temperature=config.temperature, max_cost_usd=limits.max_call_usd
            ),
        )

    def _is_answer(self, turn: dict[str, Any], conversation: Conversation) -> bool:
        """Take the answer, or ask once more when it breaks the output schema."""
        schema = self._config.output_schema
        self.result.response = turn["content"]
        if schema is None:
            return True
        violation = "/: it is not JSON"
        try:
            self.result.data = from_json(turn["content"])
            found = schema_violation(schema, self.result.data)
        except ValueError:
            found = violation
        if found is None:
            return True
        self.result.data = None
        if self._corrected:
            raise AgentFailed(f"the answer breaks the output schema at {found}", code="OUTPUT_INVALID")
        self._corrected = True
        wish = f"Your answer breaks the output schema at {found[:_LONGEST_QUOTE]}. Answer again within the schema."
        conversation.add({"role": "user", "content": wish})
        return False

    async def _make_calls(self, turn: int, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Make all calls of a turn at once; those that wait for people one after the other. Results in call order."""
        calls = [ToolCall(id=part["id"], name=part["name"], arguments=part["arguments"]) for part in parts]
        outcomes: dict[int, ToolOutcome] = {}
        together = [i for i, call in enumerate(calls) if not self._waits_for_people(call)]
        outcomes.update(
            zip(together, await _all([self._call(turn, i, calls[i]) for i in together]), strict=True)
        )
        for index, call in enumerate(calls):
            if index not in outcomes:
                outcomes[index] = await self._call(turn, index, call)
        ordered = [outcomes[index] for index in range(len(calls))]
        for call, outcome in zip(calls, ordered, strict=True):
            self.result.tool_results.append(outcome.to_wire())
            if outcome.code != "REPEATED_CALL":
                self._stuck.saw(call.name, call.arguments, outcome.for_model())
            if outcome.fatal:
                raise ToolExecutionError(
                    f"the tool {outcome.tool!r} failed: {outcome.error}", tool_name=outcome.tool
                )
        return [
            {"call_id": o.call_id, "name": o.tool, "content": o.for_model(), "outcome": o.outcome}
            for o in ordered
        ]

    def _waits_for_people(self, call: ToolCall) -> bool:
        if call.name == TASK_TOOL and self._plan.subagents:
            return any(plan.asks_people for plan in self._plan.subagents.values())
        return self._plan.guard.needs_approval(call)

    async def _call(self, turn: int, index: int, call: ToolCall) -> ToolOutcome:
        step = f"{self._prefix}tool:{turn}:{index + 1}"
        self._steps.report(
            "task.tool_use", {"call_id": call.id, "tool": call.name, "arguments": call.arguments}
        )
        outcome = await self._guarded(step, call)
        self._steps.report("task.tool_result", outcome.to_wire())
        return outcome

    async def _guarded(self, step: str, call: ToolCall) -> ToolOutcome:
        guard, agent = self._plan.guard, self._config.name
        refusal = self._refusal(call)
        if refusal is not None:
            return await self._steps.refuse(step, refusal, call, guard, agent=agent)
        self._calls_made += 1
        if call.name == TASK_TOOL and self._plan.subagents:
            return await self._delegate(step, call)
        if guard.needs_approval(call):
            decision = await self._steps.approve(f"{step}:approval", call, agent=agent)
            if decision.get("decision") != "approve":
                reason = decision.get("feedback") or "a person did not approve the call"
                denied = refused(call, "APPROVAL_DENIED", str(reason)[:_LONGEST_QUOTE])
                return await self._steps.refuse(step, denied, call, guard, agent=agent)
        return await self._steps.tool_call(step, call, guard, agent=agent)

    def _refusal(self, call: ToolCall) -> ToolOutcome | None:
        if self._stuck.is_repeated(call.name, call.arguments):
            if self._stuck.warn():
                raise AgentFailed(
                    f"the agent repeats the call of {call.name!r} without getting further", code="STUCK_LOOP"
                )
            return refused(
                call, "REPEATED_CALL",
                "this very call has given the same result several times; do something else, or answer",
            )  # fmt: skip
        if self._calls_made >= self._config.limits.max_tool_calls:
            return refused(
                call, "TOOL_CALL_LIMIT",
                f"the limit of {self._config.limits.max_tool_calls} tool calls is reached; answer with what you have",
            )  # fmt: skip
        if call.name == TASK_TOOL and self._plan.subagents:
            return self._task_refusal(call)
        return self._plan.guard.admit(call)

    def _task_refusal(self, call: ToolCall) -> ToolOutcome | None:
        schema = self._plan.definitions[-1]["input_schema"]
        violation = schema_violation(schema, call.arguments)
        if violation is None:
            return None
        return refused(call, "INVALID_ARGUMENTS", f"the arguments are wrong at {violation}")

    async def _delegate(self, step: str, call: ToolCall) -> ToolOutcome:
        plan = self._plan.subagents[call.arguments["subagent"]]
        loop = AgentLoop(plan, self._steps, task_id=self._task_id, prefix=f"{step}/")
        try:
            answer = await loop.run([], call.arguments["prompt"])
        except (AgentFailed, ToolExecutionError) as error:
            return refused(call, error.code, str(error)[:_LONGEST_QUOTE])
        finally:
            self.result.absorb(loop.result)
        output = answer.data if answer.data is not None else answer.response
        return ToolOutcome(call_id=call.id, tool=call.name, outcome="success", output=output)


async def _all(work: Sequence[Awaitable[ToolOutcome]]) -> list[ToolOutcome]:
    """Wait for all, also when one of them fails: what the others did has to be recorded."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    failures = [end for end in ended if isinstance(end, BaseException)]
    # A suspended task shows itself to its other steps as a lost claim: the cause goes first.
    for failure in sorted(failures, key=lambda failure: isinstance(failure, StaleClaim)):
        raise failure
    return [end for end in ended if isinstance(end, ToolOutcome)]
