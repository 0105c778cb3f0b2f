"""Hands out work: offers to the board, claims for agents that poll, and what a claimed subtask looks like to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tercet.domain.status import ExecutionStatus, SubtaskStatus, TaskStatus
from tercet.engine import subtasks as steps
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState, SubtaskState, TaskState
from tercet.plans.board import Board, Flag, Held, Offer
from tercet.plans.definition import PlanDefinition
from tercet.plans.model import PlanSubtask
from tercet.plans.moves import TaskView, effective_params, offered
from tercet.plans.progress import Progress
from tercet.plans.questions import results_of
from tercet.plans.workers import Worker
from tercet.store.executions import results_of_tasks

_MAY_OFFER = frozenset({ExecutionStatus.QUEUED, ExecutionStatus.RUNNING, ExecutionStatus.BLOCKED})
_MOST_NEIGHBOURS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkRules:
    """The times that hold for agents' work."""

    lease_seconds: float = 1_800.0
    """Without a sign for so long an agent loses its work."""
    escalate_seconds: float = 24 * 3_600.0
    """So long after an agent's silence people are asked, when nobody else took the work."""
    external_wait_seconds: float = 48 * 3_600.0
    execution_timeout_seconds: float = 168 * 3_600.0
    min_confidence: float = 0.7
    """A decomposition that is less sure is checked by a person before it runs."""


class Work:
    """What agents poll. `rules` are the node's."""

    def __init__(self, engine: Engine, board: Board, progress: Progress, rules: WorkRules) -> None:
        self._engine = engine
        self._board = board
        self._progress = progress
        self._rules = rules
        self._posted: dict[str, int] = {}
        self._held_before: dict[str, set[str]] = {}
        self._paused: set[str] = set()
        engine.state_listeners.append(self.on_state)

    def on_state(self, state: ExecutionState) -> None:
        """Show an execution's open work on the board, when it may have changed."""
        if state.plan_id is None or self._posted.get(state.id) == state.work_revision:
            return
        definition = self._engine.definition_at_hand(state)
        if not isinstance(definition, PlanDefinition):
            return
        offers: list[Offer] = []
        held: list[Held] = []
        now_ms = self._engine.clock.now_ms()
        for task in state.tasks.values():
            if task.is_work and task.status in (TaskStatus.QUEUED, TaskStatus.RUNNING):
                view = self._progress.view_of(state, definition, task, now_ms)
                if state.status in _MAY_OFFER:
                    offers += _offers_of(state, definition, task, view)
                held += _held_of(state, task, view)
        self._board.post(state.id, owner_id=state.owner_id, agents=state.agents, offers=offers, held=held)
        self._tell(state, held)
        if state.ended:
            self._posted.pop(state.id, None)
            self._held_before.pop(state.id, None)
        else:
            self._posted[state.id] = state.work_revision

    async def poll(
        self,
        worker: Worker,
        *,
        actions: frozenset[str],
        wait_seconds: float,
        is_gone: Callable[[], Awaitable[bool]],
    ) -> dict[str, Any] | None:
        """Return the next work for an agent, waiting for it up to `wait_seconds`; None means that there is none."""
        clock = self._engine.clock
        end_ms = clock.now_ms() + int(wait_seconds * 1000)
        while True:
            flag = self._board.take_flag(worker.id)
            if flag is not None:
                return _stop(flag)
            held = self._board.held_by(worker.id)
            if held is not None:
                again = await self._again(held)
                if again is not None:
                    return again
            elif worker.is_active:
                work = await self._claim_best(worker, actions)
                if work is not None:
                    return work
            remaining_ms = end_ms - clock.now_ms()
            if remaining_ms <= 0:
                return None
            if not await self._board.wait(worker, actions, remaining_ms / 1000):
                return None
            if await is_gone():
                self._board.pass_on(worker)
                return None

    def held_title(self, execution_id: str) -> tuple[str | None, str | None]:
        """Return id and title of what an agent does in an execution now, while it is in memory."""
        held = self._board.held_in(execution_id)
        state = self._engine.states.get(execution_id)
        task = state.tasks.get(held[0].task_id) if state is not None and held else None
        if state is None or task is None:
            return (held[0].subtask_id if held else None), None
        definition = self._engine.definition_at_hand(state)
        if not isinstance(definition, PlanDefinition):
            return held[0].subtask_id, None
        view = self._progress.view_of(state, definition, task, self._engine.clock.now_ms())
        title = next((s.title for s in view.subtasks if s.subtask_id == held[0].subtask_id), None)
        return held[0].subtask_id, title

    def next_for(self, worker: Worker, execution_id: str) -> Offer | None:
        """Return what the agent would get next, when it is of this execution."""
        offer = self._board.best(worker, worker.actions)
        return offer if offer is not None and offer.execution_id == execution_id else None

    async def _claim_best(self, worker: Worker, actions: frozenset[str]) -> dict[str, Any] | None:
        while (offer := self._board.best(worker, actions)) is not None:
            self._board.drop(offer)
            work = await self.claim(worker, offer)
            if work is not None:
                self._board.pass_on(worker)
                return work
        return None

    async def claim(self, worker: Worker, offer: Offer) -> dict[str, Any] | None:
        """Give the agent a subtask, if it is still open. Returns after the commit."""
        engine = self._engine
        async with engine.hold(offer.execution_id) as state:
            definition = await engine.definition_of(state)
            task = state.tasks.get(offer.task_id)
            if task is None or not isinstance(definition, PlanDefinition) or state.status not in _MAY_OFFER:
                return None
            change = engine.change(state)
            view = self._progress.view(change, definition, task)
            subtask = next((s for s in offered(view) if s.subtask_id == offer.subtask_id), None)
            if subtask is None:
                return None
            self._progress.begin(change, task, view)
            record = task.subtasks.get(subtask.subtask_id)
            if record is None:
                record = SubtaskState(name=subtask.subtask_id, status=SubtaskStatus.QUEUED)
            steps.start_subtask(change, task, record, agent_id=worker.id, token=worker.id)
            await engine.submit(change)
            return await self._describe(state, definition, task, view, subtask)

    async def _again(self, held: Held) -> dict[str, Any] | None:
        async with self._engine.hold(held.execution_id) as state:
            definition = await self._engine.definition_of(state)
            task = state.tasks.get(held.task_id)
            if task is None or not isinstance(definition, PlanDefinition) or state.status not in _MAY_OFFER:
                return None
            view = self._progress.view_of(state, definition, task, self._engine.clock.now_ms())
            subtask = next((s for s in view.subtasks if s.subtask_id == held.subtask_id), None)
            if subtask is None or view.status(held.subtask_id) is not SubtaskStatus.RUNNING:
                return None
            return await self._describe(state, definition, task, view, subtask)

    async def _describe(
        self, state: ExecutionState, definition: PlanDefinition, task: TaskState, view: TaskView, subtask: PlanSubtask
    ) -> dict[str, Any]:  # fmt: skip
        planned = view.task
        record = view.states[subtask.subtask_id]
        reviews = view.answers("review", subtask.subtask_id)
        before = [gate.before for gate in definition.gates.of.get(task.handler, ())]
        earlier = await self._engine.reader.read(results_of_tasks, state.id, before) if before else {}
        return {
            "work_available": True,
            "execution_id": state.id,
            "plan_id": definition.plan_id,
            "next_task": {
                "task_id": subtask.subtask_id,
                "plan_task_id": task.handler,
                "title": subtask.title or planned.title,
                "description": subtask.description or planned.description,
                "action": subtask.action,
                "params": effective_params(subtask, view),
                "timeout_hours": subtask.timeout_hours,
                "retry_policy": subtask.retry_policy,
                "success_criteria": subtask.success_criteria,
                "attempt": record.attempt,
                "lease_seconds": self._rules.lease_seconds,
                "review": _last_word(reviews),
                "context": {
                    "plan_goal": definition.plan.goal or definition.plan.title,
                    "previous_tasks": _before(state, definition, view),
                    "upcoming_tasks": _after(state, definition, task, view, subtask),
                    "results": {**earlier, **results_of(view)},
                },
            },
            "force_pause": False,
            "force_cancel": False,
        }

    def _tell(self, state: ExecutionState, held: list[Held]) -> None:
        """Tell agents that hold work when their execution was paused or cancelled."""
        before = self._held_before.get(state.id, set())
        now = {entry.agent_id for entry in held}
        if state.status in (ExecutionStatus.CANCELLED, ExecutionStatus.FAILED):
            for agent_id in before:
                self._board.tell(agent_id, Flag(execution_id=state.id, pause=False))
        elif state.status is ExecutionStatus.PAUSED:
            for agent_id in now:
                self._board.tell(agent_id, Flag(execution_id=state.id, pause=True))
        elif state.id in self._paused:
            self._board.untell(state.id, now | before)
        if state.status is ExecutionStatus.PAUSED:
            self._paused.add(state.id)
        else:
            self._paused.discard(state.id)
        self._held_before[state.id] = now


def _stop(flag: Flag) -> dict[str, Any]:
    return {
        "work_available": False,
        "execution_id": flag.execution_id,
        "next_task": None,
        "force_pause": flag.pause,
        "force_cancel": not flag.pause,
    }


def _offers_of(
    state: ExecutionState, definition: PlanDefinition, task: TaskState, view: TaskView
) -> list[Offer]:
    positions = {subtask.subtask_id: number for number, subtask in enumerate(view.subtasks)}
    return [
        Offer(
            rank=(task.priority, state.id, definition.positions[task.handler], positions[subtask.subtask_id]),
            execution_id=state.id,
            task_id=task.id,
            subtask_id=subtask.subtask_id,
            action=subtask.action,
        )
        for subtask in offered(view)
    ]


def _held_of(state: ExecutionState, task: TaskState, view: TaskView) -> list[Held]:
    return [
        Held(agent_id=record.agent_id, execution_id=state.id, task_id=task.id, subtask_id=record.name)
        for subtask in view.subtasks
        if (record := view.states.get(subtask.subtask_id)) is not None
        and record.status is SubtaskStatus.RUNNING
        and record.agent_id is not None
    ]


def _last_word(reviews: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not reviews:
        return None
    return {key: reviews[-1].get(key) for key in ("option", "feedback", "decided_by", "decided_at")}


def _before(state: ExecutionState, definition: PlanDefinition, view: TaskView) -> list[str]:
    ended = sorted((state.ended_at_ms or {}).items(), key=lambda item: item[1])
    titles = [_title(definition, handler) for handler, _ in ended]
    titles += [s.title or s.subtask_id for s in view.subtasks if s.subtask_id in view.finished]
    return titles[-_MOST_NEIGHBOURS:]


def _after(
    state: ExecutionState, definition: PlanDefinition, task: TaskState, view: TaskView, subtask: PlanSubtask
) -> list[str]:
    finished = view.finished | {subtask.subtask_id}
    titles = [s.title or s.subtask_id for s in view.subtasks if s.subtask_id not in finished]
    ended = state.ended_at_ms or {}
    later = list(definition.tasks)[definition.positions[task.handler] + 1 :]
    titles += [_title(definition, handler) for handler in later[:_MOST_NEIGHBOURS] if handler not in ended]
    return titles[:_MOST_NEIGHBOURS]


def _title(definition: PlanDefinition, handler: str) -> str:
    planned = definition.tasks.get(handler)
    return (planned.title if planned is not None else "") or handler
