"""Takes what agent workers report: once each, in the order of their coming, answered after the commit (spec 5 §2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.domain.clock import to_iso
from tercet.domain.errors import Conflict, InvalidStateTransition, NotAllowed, TercetError
from tercet.domain.ids import event_id
from tercet.domain.status import ExecutionStatus
from tercet.engine.changes import Change
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState
from tercet.plans.definition import PlanDefinition
from tercet.plans.recent_keys import RecentKeys, key_of
from tercet.plans.report_model import AgentEvent
from tercet.plans.verdicts import Outcome, Verdicts
from tercet.plans.work import Work
from tercet.plans.workers import ANY_WORKER, Worker, Workers


class Reports:
    """Records agents' events in executions of plans."""

    def __init__(self, engine: Engine, workers: Workers, work: Work, verdicts: Verdicts) -> None:
        self._engine = engine
        self._workers = workers
        self._work = work
        self._verdicts = verdicts
        self.keys = RecentKeys(engine)

    async def report(
        self,
        execution_id: str,
        event: AgentEvent,
        *,
        content: str,
        worker: Worker,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Record one event; return the answer of spec 5 §2. `content` is the digest of what was sent.

        Raises NotFound, NotAllowed, Conflict, InvalidStateTransition, InvalidInput; then nothing is recorded.
        """
        async with self._engine.hold(execution_id) as state:
            definition = await self._definition(state, worker)
            key = _key(execution_id, event, content, idempotency_key)
            if key is not None:
                known = await self.keys.find(
                    state.owner_id, key, content, agent_at_ms=_clock_of(event, idempotency_key)
                )
                if known is not None:
                    return _answer(state, known["seq"], known["at_ms"]) | {"duplicate": True}
            _check_open(state)
            change = self._engine.change(state)
            outcome = self._verdicts.apply(change, definition, worker, event)
            if key is not None:
                self._remember(change, key, content, outcome)
            future = self._engine.submit(change)
            self._workers.seen(worker)
            await self.keys.commit(state.owner_id, [key] if key is not None else [], future)
            return self._told(state, worker, change.now_ms, outcome)

    async def report_batch(
        self, execution_id: str, events: Sequence[AgentEvent], *, contents: Sequence[str], worker: Worker
    ) -> list[dict[str, Any]]:
        """Record many events as one unit; return one answer each, in order. What is refused says why and stops nothing else."""
        async with self._engine.hold(execution_id) as state:
            definition = await self._definition(state, worker)
            keys = [
                _key(execution_id, event, content, None)
                for event, content in zip(events, contents, strict=True)
            ]
            known = [
                await self.keys.find(state.owner_id, key, content, agent_at_ms=event.agent_at_ms)
                if key is not None
                else None
                for event, key, content in zip(events, keys, contents, strict=True)
            ]
            if None in known:
                _check_open(state)
            change = self._engine.change(state)
            results: list[Outcome | TercetError | dict[str, Any]] = []
            new: dict[str, int] = {}
            for event, key, content, row in zip(events, keys, contents, known, strict=True):
                if row is not None:
                    results.append(_answer(state, row["seq"], row["at_ms"]) | {"duplicate": True})
                elif key in new:
                    results.append(_answer(state, new[key], change.now_ms) | {"duplicate": True})
                else:
                    results.append(self._apply(change, definition, worker, event, key, content, new))
            self._workers.seen(worker)
            if any(isinstance(result, Outcome) for result in results):
                await self.keys.commit(state.owner_id, list(new), self._engine.submit(change))
            return [self._batch_answer(state, worker, change.now_ms, result) for result in results]

    def _apply(
        self, change: Change, definition: PlanDefinition, worker: Worker, event: AgentEvent, key: str | None,
        content: str, new: dict[str, int],
    ) -> Outcome | TercetError:  # fmt: skip
        moved = len(change.moved)
        try:
            if event.agent_id != worker.id:
                raise NotAllowed(f"the event is of {event.agent_id!r}, not of {worker.id!r}")
            outcome = self._verdicts.apply(change, definition, worker, event)
        except TercetError as error:
            return error
        if key is not None:
            new[key] = outcome.seq
            self._remember(change, key, content, outcome)
        if len(change.moved) > moved:
            definition.follow_up(change)
        return outcome

    def _remember(self, change: Change, key: str, content: str, outcome: Outcome) -> None:
        state = change.state
        self.keys.remember(
            change.unit,
            state.owner_id,
            key,
            content,
            execution_id=state.id,
            seq=outcome.seq,
            now_ms=change.now_ms,
        )

    async def _definition(self, state: ExecutionState, worker: Worker) -> PlanDefinition:
        if state.plan_id is None:
            raise Conflict("the execution is not of a plan: it takes no events of agents")
        if ANY_WORKER not in state.agents and worker.id not in state.agents:
            raise NotAllowed(f"the agent {worker.id!r} has no part in this execution")
        definition = await self._engine.definition_of(state)
        assert isinstance(definition, PlanDefinition)
        return definition

    def _batch_answer(
        self,
        state: ExecutionState,
        worker: Worker,
        now_ms: int,
        result: Outcome | TercetError | dict[str, Any],
    ) -> dict[str, Any]:
        if isinstance(result, Outcome):
            return {"recorded": True} | self._told(state, worker, now_ms, result)
        if isinstance(result, dict):
            return {"recorded": True} | result
        return {
            "recorded": False,
            "error": {
                "code": result.code,
                "message": result.message,
                "hint": result.hint,
                "detail": result.detail,
            },
        }

    def _told(self, state: ExecutionState, worker: Worker, now_ms: int, outcome: Outcome) -> dict[str, Any]:
        told = _answer(state, outcome.seq, now_ms) | outcome.told
        if outcome.completed is not None:
            offer = self._work.next_for(worker, state.id)
            told["next_task_id"] = offer.subtask_id if offer else None
            told["next_action"] = offer.action if offer else None
            told["status_message"] = _status_message(state, offer.subtask_id if offer else None)
        return told


def _answer(state: ExecutionState, seq: int, at_ms: int) -> dict[str, Any]:
    return {
        "event_id": event_id(state.id, seq),
        "execution_id": state.id,
        "recorded_at": to_iso(at_ms),
        "force_pause": state.status is ExecutionStatus.PAUSED,
        "force_cancel": state.status is ExecutionStatus.CANCELLED,
    }


def _status_message(state: ExecutionState, next_id: str | None) -> str:
    if state.status is ExecutionStatus.COMPLETED:
        return "Task complete. The execution is complete"
    if state.status is ExecutionStatus.BLOCKED:
        return f"Task complete. The execution is blocked: {state.status_message}"
    if state.status is ExecutionStatus.PAUSED:
        return "Task complete. The execution is paused"
    return (
        f"Task complete. Proceeding to {next_id}" if next_id else "Task complete. Nothing is open for you now"
    )


def _check_open(state: ExecutionState) -> None:
    if state.ended:
        raise InvalidStateTransition(
            f"the execution has ended ({state.status}) and takes no events",
            hint="drop the work, and poll for other",
        )


def _key(execution_id: str, event: AgentEvent, content: str, given: str | None) -> str | None:
    """Return the key by which a repetition is known, or None for an event that nothing tells from its repetition."""
    if given is not None:
        return key_of(execution_id, event.agent_id, f"key:{given}")
    return None if event.agent_timestamp is None else key_of(execution_id, event.agent_id, content)


def _clock_of(event: AgentEvent, given: str | None) -> int | None:
    return None if given is not None else event.agent_at_ms
