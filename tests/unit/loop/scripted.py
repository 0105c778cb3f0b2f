"""A LoopModel that says what it is told, in order; after that it repeats the last answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.codec import to_json
from tercet.domain.errors import CostLimitReached
from tercet.loop.ports import Role
from tercet.loop.state import AgentState, ExecutorOutput, PlanStep, first_state

Answer = str | ExecutorOutput | BaseException


def planned(*steps: Any) -> str:
    return to_json({"thought": "t", "plan": list(steps)})


def did(output: str = "done") -> str:
    return to_json({"thought": "t", "success": True, "output": output})


def failed(output: str = "it broke") -> str:
    return to_json({"thought": "t", "success": False, "output": output})


def judged(verdict: str, feedback: str = "") -> str:
    return to_json({"thought": "t", "verdict": verdict, "feedback": feedback})


def state(goal: str = "Reach it", max_iters: int = 10, **fields: Any) -> AgentState:
    made = first_state(goal, max_iters=max_iters, executors=fields.pop("executors", ["agent"]))
    return {**made, **fields}  # type: ignore[typeddict-item]


@dataclass
class ScriptedModel:
    planner: Sequence[Answer] = (planned("one"),)
    executor: Sequence[Answer] = (did(),)
    reviewer: Sequence[Answer] = (judged("continue"),)
    clock_ms: int = 1_000
    ms_a_call: int = 0
    turn: str = ""
    calls: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    async def ask(self, role: Role, prompt: str) -> str:
        answer = self._next(role, self.planner if role == "planner" else self.reviewer, prompt)
        assert isinstance(answer, str)
        return answer

    async def act(self, step: PlanStep, prompt: str) -> str | ExecutorOutput:
        return self._next("executor", self.executor, prompt)

    def now_ms(self) -> int:
        return self.clock_ms

    def _next(self, role: str, answers: Sequence[Answer], prompt: str) -> str | ExecutorOutput:
        said = self.calls.count(role)
        self.calls.append(role)
        self.prompts.append(prompt)
        self.clock_ms += self.ms_a_call
        answer = answers[min(said, len(answers) - 1)]
        if isinstance(answer, BaseException):
            raise answer
        return answer


_MANY_PLANS = [planned(f"{n}.1", f"{n}.2") for n in range(50)]
SCRIPTS: dict[str, dict[str, Any]] = {
    "to the end": {"planner": [planned("a", "b", "c")]},
    "finish early": {"planner": [planned("a", "b")], "reviewer": [judged("finish")]},
    "failure and another plan": {"planner": _MANY_PLANS, "executor": [failed(), did()]},
    "always failing": {"planner": _MANY_PLANS, "executor": [failed()]},
    "same plan twice": {"executor": [failed()]},
    "retry": {"reviewer": [judged("retry", "again"), judged("continue")]},
    "retry for ever": {"reviewer": [judged("retry")]},
    "replan": {"planner": _MANY_PLANS, "reviewer": [judged("replan"), judged("continue")]},
    "nothing can be read": {"planner": ["?"], "executor": ["?"], "reviewer": ["?"]},
    "review cannot be read": {"reviewer": ["?"]},
    "a tool raises": {"planner": _MANY_PLANS, "executor": [RuntimeError("boom"), did()]},
    "the budget is spent": {"planner": _MANY_PLANS, "executor": [did(), CostLimitReached("spent")]},
    "the deadline passes": {"planner": _MANY_PLANS, "ms_a_call": 1_000},
}
