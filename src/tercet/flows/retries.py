"""Retrying whole executions."""

from __future__ import annotations

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidStateTransition, NotFound
from tercet.domain.status import ExecutionStatus
from tercet.engine.control import Control
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.store.listing import root_event
from tercet.store.reader import Record


class Retries:
    """An open execution's failed tasks are queued again; an ended execution starts anew, linked, on its revision."""

    def __init__(self, engine: Engine, intake: Intake, control: Control) -> None:
        self._engine = engine
        self._intake = intake
        self._control = control

    async def retry(self, execution: Record, *, by: str) -> str:
        """Return the id of the execution that goes on. Raises InvalidStateTransition when there is nothing to retry."""
        execution_id: str = execution["id"]
        status = ExecutionStatus(execution["status"])
        if status not in (ExecutionStatus.FAILED, ExecutionStatus.CANCELLED):
            if await self._control.retry_dead_letters(execution_id, by=by):
                return execution_id
            raise InvalidStateTransition(f"the execution is {status}; there is no failed task to retry")
        root = await self._engine.reader.read(root_event, execution_id)
        if root is None:
            raise NotFound(f"the execution {execution_id!r} has no root event")
        async with self._engine.hold(execution_id) as state:
            definition = await self._engine.definition_of(state)
        receipt = await self._intake.start_execution(
            definition,
            manifest_id=execution["manifest_id"],
            owner_id=execution["owner_id"],
            name=root["name"],
            data=from_json(root["output_data"]),
            source=by,
            retry_of=execution_id,
            title=execution["name"],
        )
        return receipt.execution_id
