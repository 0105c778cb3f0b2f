"""Tercet runs work that is shared by agents, humans and code.

The names in `__all__` are the public interface; everything else may move. A name is imported from its home
when it is first used, so `import tercet` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "AgentExecutor",
    "AgentState",
    "ContextLengthExceededError",
    "CostLimitExceededError",
    "LLMModel",
    "RateLimitExceededError",
    "ToolBase",
    "ToolExecutionError",
    "ToolFailed",
    "ToolNotFoundError",
    "ToolSandbox",
    "__version__",
]

# Hidden from type checkers, which would take every misspelt name for a known one.
if TYPE_CHECKING:
    from tercet.agent.llm_model import LLMModel as LLMModel
    from tercet.agent_executor import AgentExecutor as AgentExecutor
    from tercet.agent_executor import AgentState as AgentState
    from tercet.domain.errors import ContextLengthExceededError as ContextLengthExceededError
    from tercet.domain.errors import CostLimitExceededError as CostLimitExceededError
    from tercet.domain.errors import RateLimitExceededError as RateLimitExceededError
    from tercet.domain.errors import ToolExecutionError as ToolExecutionError
    from tercet.domain.errors import ToolNotFoundError as ToolNotFoundError
    from tercet.domain.tool import ToolFailed as ToolFailed
    from tercet.tools.base import ToolBase as ToolBase
    from tercet.tools.sandbox import ToolSandbox as ToolSandbox
else:
    _HOMES: dict[str, str] = {
        "AgentExecutor": "tercet.agent_executor",
        "AgentState": "tercet.agent_executor",
        "ContextLengthExceededError": "tercet.domain.errors",
        "CostLimitExceededError": "tercet.domain.errors",
        "LLMModel": "tercet.agent.llm_model",
        "RateLimitExceededError": "tercet.domain.errors",
        "ToolBase": "tercet.tools.base",
        "ToolExecutionError": "tercet.domain.errors",
        "ToolFailed": "tercet.domain.tool",
        "ToolNotFoundError": "tercet.domain.errors",
        "ToolSandbox": "tercet.tools.sandbox",
    }

    def __getattr__(name: str) -> object:
        """Import a public name from the module that owns it. Raises AttributeError for any other name."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'tercet' has no public name {name!r}")
        from importlib import import_module

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
