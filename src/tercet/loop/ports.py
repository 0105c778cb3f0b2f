"""What the nodes need of the place where they run: the engine with its durable steps, or a script in a test."""

from __future__ import annotations

from typing import Literal, Protocol

from tercet.loop.state import ExecutorOutput, PlanStep

Role = Literal["planner", "reviewer"]


class LoopModel(Protocol):
    """Answers the roles."""

    async def ask(self, role: Role, prompt: str) -> str:
        """Return the answer of the planner or the reviewer. Raises CostLimitReached when the budget is spent."""
        ...

    async def act(self, step: PlanStep, prompt: str) -> str | ExecutorOutput:
        """Have a step done: the answer of a model as text, an outcome of anybody else. Raises as `ask` does."""
        ...

    def now_ms(self) -> int:
        """Return the time, for the deadline."""
        ...


class TurnModel(LoopModel, Protocol):
    """A LoopModel that is told which turn it answers, so that what it records has a name of its own."""

    turn: str
