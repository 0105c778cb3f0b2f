"""What a loop knows: its goal, its plan, where it stands, what was tried (spec 4).

Nodes read the state and return the fields that they change; both drivers merge those into it.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Verdict = Literal["continue", "retry", "replan", "finish"]
Reason = Literal["finished", "max_iters", "same_plan", "budget", "deadline"]
VERDICTS: tuple[Verdict, ...] = ("continue", "retry", "replan", "finish")


class ExecutorOutput(TypedDict):
    """What became of a step."""

    success: bool
    output: str


class PlanStep(TypedDict):
    """A step of the plan and who does it: `agent`, `human`, `agent:NAME`, `function:MANIFEST/NAME`, …"""

    step: str
    executor: str
    options: dict[str, Any]
    """What the executor reads beside the text: a form for a person, arguments for a function."""


class Attempt(TypedDict):
    """One executor turn, as later turns are told of it; long outputs are cut."""

    step: str
    success: bool
    output: str
    verdict: Verdict | None


class AgentState(TypedDict):
    """The whole state; JSON-ready."""

    goal: str
    max_iters: int
    deadline_at_ms: int | None
    executors: list[str]
    """Who may do steps."""
    plan: list[PlanStep]
    current_step: int
    """Index into `plan`."""
    iters: int
    """Executor turns so far; `max_iters` is the cap. Failed ones count like all others."""
    executor_output: ExecutorOutput | None
    verdict: Verdict | None
    feedback: str
    """What the reviewer told the executor for its next try."""
    attempts: list[Attempt]
    """The latest, oldest first."""
    plans_seen: list[str]
    """Digests of all plans."""
    reason: Reason | None
    """Why the loop ended; None while it goes on."""
    message: str
    """The reason in words."""


def first_state(
    goal: str, *, max_iters: int, executors: list[str], deadline_at_ms: int | None = None
) -> AgentState:
    """Return the state that a loop begins with."""
    return AgentState(
        goal=goal, max_iters=max_iters, deadline_at_ms=deadline_at_ms, executors=executors, plan=[], current_step=0,
        iters=0, executor_output=None, verdict=None, feedback="", attempts=[], plans_seen=[], reason=None, message="",
    )  # fmt: skip


def merge(state: AgentState, update: dict[str, Any]) -> AgentState:
    """Return the state with the fields that a node has changed."""
    return {**state, **update}  # type: ignore[typeddict-item]  # nodes name fields of the state only


def step_at_hand(state: AgentState) -> PlanStep:
    """Return the step that the executor does next."""
    return state["plan"][state["current_step"]]
