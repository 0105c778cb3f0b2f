"""Keeps a conversation within what the model can read: measure, shrink once, refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tercet.agent.config import AgentConfig
from tercet.agent.conversation import SUMMARY_INSTRUCTIONS, Conversation, transcript
from tercet.agent.ports import RunSteps
from tercet.domain.codec import to_json
from tercet.domain.contract import Constraints, ExecutorRequest, TaskSpec
from tercet.domain.errors import ContextLengthExceededError
from tercet.domain.prices import estimate_tokens

if TYPE_CHECKING:
    from tercet.agent.result import RunResult

_UNKNOWN_WINDOW = 200_000
_AIM = 0.7
"""How full the window may be after it was made smaller: else the next turn would have to do it again."""
_CHARACTERS_A_TOKEN = 3
_SUMMARY_TOKENS = 2_000


class ContextFit:
    """Watches one run."""

    def __init__(
        self,
        config: AgentConfig,
        system: str,
        definitions: list[dict[str, Any]],
        steps: RunSteps,
        result: RunResult,
    ) -> None:
        self._config = config
        self._steps = steps
        self._result = result
        self._fixed = estimate_tokens(system + to_json([definitions, config.output_schema]))
        self._window: int | None = config.limits.context_tokens
        self._compacted = False

    async def make_room(
        self,
        conversation: Conversation,
        request: Callable[[Conversation], ExecutorRequest],
        step: str,
        *,
        refused_by_provider: bool = False,
    ) -> None:
        """Return when the next request fits. Raises ContextLengthExceededError when nothing helps any more."""
        if self._window is None:
            self._window = await self._steps.context_window(request(conversation)) or _UNKNOWN_WINDOW
        limit = (
            max(1, self._window - self._config.limits.max_tokens)
            if self._config.limits.context_tokens is None
            else self._window
        )
        estimate = self._fixed + conversation.tokens
        if not refused_by_provider:
            if estimate <= limit:
                return
            exact = await self._steps.remember(
                f"{step}:count", lambda: self._steps.count_tokens(request(conversation))
            )
            if exact is not None and exact <= limit:
                return
        if self._compacted:
            raise self._too_long(estimate, limit)
        self._compacted = True
        self._result.flag("compacted")
        aim = int(min(limit, estimate) * _AIM)
        won = conversation.clear_tool_results(needed_tokens=estimate - aim)
        if estimate - won <= aim:
            return
        await self._summarise(conversation, step, limit)
        estimate = self._fixed + conversation.tokens
        if estimate > limit:
            raise self._too_long(estimate, limit)

    async def _summarise(self, conversation: Conversation, step: str, limit: int) -> None:
        head, tail = conversation.split()
        if not head:
            return
        text = transcript(
            head, max_characters=max(1_000, (limit - _SUMMARY_TOKENS) * _CHARACTERS_A_TOKEN // 2)
        )
        config = self._config
        task = {
            "task_type": config.name,
            "messages": [{"role": "user", "content": text}],
            "system": SUMMARY_INSTRUCTIONS,
            "model": config.model,
        }
        request = ExecutorRequest(
            task_id=step, executor_type="llm", task=TaskSpec.model_validate(task),
            constraints=Constraints(max_tokens=min(_SUMMARY_TOKENS, config.limits.max_tokens)),
        )  # fmt: skip
        answer = await self._steps.model_turn(
            f"{step}:summary", request, fallback_models=config.fallback_models
        )
        self._result.count(answer)
        assert answer.result is not None
        conversation.replace_head(answer.result["content"], tail)

    def _too_long(self, tokens: int, limit: int) -> ContextLengthExceededError:
        return ContextLengthExceededError(
            f"the conversation has about {tokens:,} tokens, and {limit:,} fit",
            hint="shorten the input, lower limits.max_history, or choose a model that reads more",
        )
