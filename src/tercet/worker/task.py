"""What a handler gets, and what it may raise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

StopReason = Literal["pause", "cancel", "shutdown", "lost"]
"""People paused or cancelled the execution; the worker ends; the work is another agent's by now."""


class NeedsReview(Exception):
    """Raise it from a handler when a person has to say how to go on; the execution is blocked until then.

    `suggestions` are the ways on that the person is offered.
    """

    def __init__(
        self, reason: str, *, suggestions: Sequence[str] = (), error_type: str = "needs_review"
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.suggestions = list(suggestions)
        self.error_type = error_type


class Blocked(NeedsReview):
    """Something outside stands in the way, and a person has to say how to go on."""

    def __init__(
        self, reason: str, *, suggestions: Sequence[str] = (), error_type: str = "external_dependency_blocked"
    ) -> None:
        super().__init__(reason, suggestions=suggestions, error_type=error_type)


class Stopped(Exception):
    """The handler ended early because it was asked to."""


@dataclass(kw_only=True)
class Task:
    """One piece of work: an action with its parameters, and what surrounds it in the plan."""

    execution_id: str
    plan_id: str
    task_id: str
    """What the work was handed out under: a subtask's id, or that of a task without subtasks."""
    plan_task_id: str
    action: str
    params: dict[str, Any]
    title: str = ""
    description: str = ""
    attempt: int = 1
    context: dict[str, Any] = field(default_factory=dict)
    """{plan_goal, previous_tasks, upcoming_tasks, results}; `results` as the server tells them: see `results`."""
    review: dict[str, Any] | None = None
    """{option, feedback, decided_by, decided_at}: what a person said after `NeedsReview`."""
    success_criteria: list[str] = field(default_factory=list)
    tell: Callable[[str, dict[str, Any] | None], None] = field(repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    stop_reason: StopReason | None = field(default=None, init=False)

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt: hand it to what must not happen twice."""
        return f"{self.execution_id}:{self.task_id}"

    @property
    def results(self) -> dict[str, Any]:
        """What came of each subtask of this task so far, and of the tasks that it follows, by subtask id.

        For what a person did it is the `output` that they entered.
        """
        found: dict[str, Any] = {}
        for name, result in self.context.get("results", {}).items():
            parts = result.get("subtasks") if isinstance(result, dict) else None
            found |= parts if isinstance(parts, dict) else {name: result}
        return {name: _entered(result) for name, result in found.items()}

    @property
    def stopped(self) -> bool:
        """Whether the handler should end early. An async handler is cancelled besides, but for a pause."""
        return self._stop.is_set()

    def progress(self, message: str, output_data: dict[str, Any] | None = None) -> None:
        """Tell people how far the work is. Callable from any thread; returns at once."""
        self.tell(message, output_data)

    def raise_if_stopped(self) -> None:
        """Raise Stopped when the handler should end early; after a pause the work is handed out again."""
        if self.stopped:
            raise Stopped(self.stop_reason)

    def wait_stopped(self, timeout_seconds: float) -> bool:
        """Sleep in a sync handler, but wake when it should end; return whether it should."""
        return self._stop.wait(timeout_seconds)

    def stop(self, reason: StopReason) -> None:
        """Ask the handler to end. The first reason stays."""
        if not self._stop.is_set():
            self.stop_reason = reason
            self._stop.set()


def _entered(result: Any) -> Any:
    is_by_person = isinstance(result, dict) and result.keys() == {"output", "feedback", "form", "done_by"}
    return result["output"] if is_by_person else result
