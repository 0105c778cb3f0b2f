"""How outside events come in: they start an execution, or join one that waits for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import digest
from tercet.domain.errors import Conflict, InvalidStateTransition
from tercet.domain.ids import event_id
from tercet.domain.status import ExecutionStatus
from tercet.engine.definition import Definition
from tercet.engine.engine import Engine
from tercet.engine.routing import record_and_route, route
from tercet.engine.state import ExecutionState
from tercet.store import statements as sql
from tercet.store.executions import find_event_key
from tercet.store.unit import Unit


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What the sender of an event gets back, after the commit."""

    event_id: str
    execution_id: str
    recorded_at_ms: int
    duplicate: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanStart:
    """What an execution of a plan knows from its start."""

    plan_id: str
    agent_id: str
    agents: frozenset[str]
    tasks_total: int

    def apply(self, state: ExecutionState) -> None:
        """Write it into a new state."""
        state.plan_id, state.agent_id, state.agents = self.plan_id, self.agent_id, self.agents
        state.tasks_total = self.tasks_total
        state.ended_at_ms = {}


class Intake:
    """Records outside events exactly once for each idempotency key."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._in_flight: dict[tuple[str, str], asyncio.Future[None]] = {}

    async def start_execution(
        self,
        definition: Definition,
        *,
        manifest_id: str,
        owner_id: str,
        name: str,
        data: dict[str, Any],
        source: str,
        idempotency_key: str | None = None,
        retry_of: str | None = None,
        extra: Unit | None = None,
        execution_id: str | None = None,
        plan: PlanStart | None = None,
        title: str | None = None,
    ) -> Receipt:
        """Start an execution with the root event. `extra` rows commit with it; the id may be minted before.

        `title` is what lists call it, in the place of the definition's name.
        """
        body = {"name": name, "data": data}
        if idempotency_key is not None:
            known = await self._wait_or_find(owner_id, idempotency_key, body)
            if known is not None:
                return known
        engine = self._engine
        state = ExecutionState(
            id=execution_id or engine.mint.mint("exe"),
            owner_id=owner_id,
            kind=definition.kind,
            name=title or definition.name,
            manifest_id=manifest_id,
            status=ExecutionStatus.QUEUED,
            created_at_ms=engine.clock.now_ms(),
            has_spent=False,
            requested_by=source,
        )
        if plan is not None:
            plan.apply(state)
        change = engine.change(state, extra)
        seq = change.create_execution(root_name=name, root_data=data, source=source, retry_of=retry_of)
        route(change, definition, name=name, data=data, seq=seq, hops=0)
        self._remember(change.unit, owner_id, idempotency_key, body, state.id, seq, change.now_ms)
        engine.states.adopt(state)
        await self._commit(owner_id, idempotency_key, engine.submit(change))
        return Receipt(event_id=event_id(state.id, seq), execution_id=state.id, recorded_at_ms=change.now_ms)

    async def join_execution(
        self,
        execution_id: str,
        *,
        owner_id: str,
        name: str,
        data: dict[str, Any],
        source: str,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Record the event in an execution that has not ended. Raises NotFound, InvalidStateTransition."""
        body = {"name": name, "data": data}
        if idempotency_key is not None:
            known = await self._wait_or_find(owner_id, idempotency_key, body)
            if known is not None:
                return known
        engine = self._engine
        async with engine.hold(execution_id) as state:
            if state.ended:
                raise InvalidStateTransition(
                    f"the execution {execution_id} has ended ({state.status}) and takes no events"
                )
            definition = await engine.definition_of(state)
            change = engine.change(state)
            change.touch()
            seq = record_and_route(change, definition, name=name, data=data, hops=0, source=source)
            assert seq is not None
            self._remember(change.unit, owner_id, idempotency_key, body, state.id, seq, change.now_ms)
            await self._commit(owner_id, idempotency_key, engine.submit(change))
            return Receipt(
                event_id=event_id(state.id, seq), execution_id=state.id, recorded_at_ms=change.now_ms
            )

    def _remember(
        self,
        unit: Unit,
        owner_id: str,
        key: str | None,
        body: dict[str, Any],
        execution_id: str,
        seq: int,
        now_ms: int,
    ) -> None:
        if key is not None:
            unit.add(sql.INSERT_EVENT_KEY, (owner_id, key, digest(body), execution_id, seq, now_ms))

    async def _commit(self, owner_id: str, key: str | None, future: asyncio.Future[None]) -> None:
        if key is None:
            await future
            return
        self._in_flight[owner_id, key] = future
        try:
            await future
        finally:
            self._in_flight.pop((owner_id, key), None)

    async def _wait_or_find(self, owner_id: str, key: str, body: dict[str, Any]) -> Receipt | None:
        while (future := self._in_flight.get((owner_id, key))) is not None:
            await asyncio.wait([future])
        row = await self._engine.reader.read(find_event_key, owner_id, key)
        if (owner_id, key) in self._in_flight:
            return await self._wait_or_find(owner_id, key, body)
        if row is None:
            return None
        if row["digest"] != digest(body):
            raise Conflict(
                f"the idempotency key {key!r} was used for another event",
                hint=f"it belongs to {event_id(row['execution_id'], row['seq'])}; use a new key for new content",
            )
        return Receipt(
            event_id=event_id(row["execution_id"], row["seq"]),
            execution_id=row["execution_id"],
            recorded_at_ms=row["at_ms"],
            duplicate=True,
        )
