"""Events from outside: they join executions that wait for them, or start new ones."""

from __future__ import annotations

import difflib
from typing import Any

from tercet.domain.errors import InvalidInput, NotFound
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake, Receipt
from tercet.flows.catalog import Catalog, Deployed
from tercet.store.executions import executions_waiting_for

_LONGEST_KEY = 200


class Events:
    """What `tercet emit` and `POST /events` call."""

    def __init__(self, engine: Engine, intake: Intake, catalog: Catalog) -> None:
        self._engine = engine
        self._intake = intake
        self._catalog = catalog

    async def send(
        self,
        *,
        owner_id: str,
        name: str,
        data: dict[str, Any],
        source: str,
        idempotency_key: str | None = None,
        manifest: str | None = None,
        execution_id: str | None = None,
    ) -> Receipt:
        """Record the event. Raises InvalidInput, NotFound, Conflict, InvalidStateTransition; then nothing is stored."""
        if idempotency_key is not None and not 1 <= len(idempotency_key) <= _LONGEST_KEY:
            raise _invalid(
                "idempotency_key", f"has 1 to {_LONGEST_KEY} characters", "use an id of the sender"
            )
        if execution_id is not None:
            return await self._join(
                execution_id, owner_id=owner_id, name=name, data=data, source=source, key=idempotency_key
            )
        waiting = await self._waiting_executions(owner_id, name, data)
        if waiting and manifest is None:
            receipts = [
                await self._join(
                    waiter, owner_id=owner_id, name=name, data=data, source=source,
                    key=None if idempotency_key is None else f"{idempotency_key}:{waiter}"[:_LONGEST_KEY],
                )
                for waiter in waiting
            ]  # fmt: skip
            return receipts[0]
        deployed = self._choose(owner_id, name, manifest)
        deployed.definition.check_event(name, data)
        return await self._intake.start_execution(
            deployed.definition,
            manifest_id=deployed.manifest_id,
            owner_id=owner_id,
            name=name,
            data=data,
            source=source,
            idempotency_key=idempotency_key,
        )

    async def check(
        self,
        *,
        owner_id: str,
        name: str,
        data: dict[str, Any],
        manifest: str | None,
        execution_id: str | None,
    ) -> None:
        """Raise what `send` would raise for this event, and store nothing."""
        if execution_id is not None:
            async with self._engine.hold(execution_id) as state:
                if state.owner_id != owner_id:
                    raise NotFound(f"there is no execution {execution_id!r}")
                (await self._engine.definition_of(state)).check_event(name, data)
        elif manifest is not None or not await self._waiting_executions(owner_id, name, data):
            self._choose(owner_id, name, manifest).definition.check_event(name, data)

    async def _join(
        self,
        execution_id: str,
        *,
        owner_id: str,
        name: str,
        data: dict[str, Any],
        source: str,
        key: str | None,
    ) -> Receipt:
        async with self._engine.hold(execution_id) as state:
            if state.owner_id != owner_id:
                raise NotFound(f"there is no execution {execution_id!r}")
            definition = await self._engine.definition_of(state)
            definition.check_event(name, data)
            return await self._intake.join_execution(
                execution_id, owner_id=owner_id, name=name, data=data, source=source, idempotency_key=key
            )

    async def _waiting_executions(self, owner_id: str, name: str, data: dict[str, Any]) -> list[str]:
        found: dict[str, None] = {}
        for wait in await self._engine.reader.read(executions_waiting_for, owner_id, name):
            async with self._engine.hold(wait["execution_id"]) as state:
                definition = await self._engine.definition_of(state)
                event = {"name": name, "data": data, "execution_id": state.id}
                if wait["condition"] is None or definition.event_matches(wait["condition"], event):
                    found[wait["execution_id"]] = None
        return list(found)

    def _choose(self, owner_id: str, name: str, manifest: str | None) -> Deployed:
        if manifest is not None:
            deployed = self._catalog.active(owner_id, manifest)
            if name not in deployed.definition.declared_events:
                raise _unknown(name, sorted(deployed.definition.declared_events))
            return deployed
        active = self._catalog.all_active(owner_id)
        handling = [d for d in active if d.definition.handles(name)]
        candidates = handling or [d for d in active if name in d.definition.declared_events]
        if not candidates:
            raise _unknown(name, sorted({event for d in active for event in d.definition.declared_events}))
        if len(candidates) > 1:
            names = ", ".join(d.name for d in candidates)
            raise _invalid(
                "manifest", f"is required: {name!r} is handled by {names}", "say which one is meant"
            )
        return candidates[0]


def _unknown(name: str, known: list[str]) -> InvalidInput:
    close = difflib.get_close_matches(name, known, n=1)
    hint = (
        f"did you mean {close[0]!r}?"
        if close
        else f"declared: {', '.join(known[:8]) or 'nothing; load a manifest first'}"
    )
    return _invalid("name", f"{name!r} is not declared by any manifest", hint)


def _invalid(field: str, rule: str, hint: str) -> InvalidInput:
    return InvalidInput(f"{field} {rule}", hint=hint, detail=[{"field": field, "rule": rule, "hint": hint}])
