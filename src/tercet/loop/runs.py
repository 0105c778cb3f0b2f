"""Loops as executions: start one, see where it stands, go on from one of its turns on a new branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tercet.agent.feed import RunFeed
from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput, NotFound
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.loop.config import LoopConfig
from tercet.loop.definition import LOOP_EVENT, LoopDefinition, LoopServices, definition_key
from tercet.loop.routing import END
from tercet.loop.standing import Standing, beginning, folded
from tercet.store.listing import get_execution, root_event, tasks_of

_LONGEST_TITLE = 200


@dataclass(frozen=True, kw_only=True)
class LoopRuns:
    """What `tercet loop` and the routes call."""

    engine: Engine
    intake: Intake
    services: LoopServices

    @property
    def feed(self) -> RunFeed:
        """What tells those who watch."""
        return self.services.turns.services.feed

    async def definition(self, key: str) -> LoopDefinition:
        """Return the definition of a key; what the engine asks. Raises NotFound."""
        return LoopDefinition(key, self.services)

    async def start(
        self,
        config: LoopConfig,
        *,
        owner_id: str,
        source: str,
        idempotency_key: str | None = None,
        execution_id: str | None = None,
    ) -> str:
        """Start a loop; return the execution's id. Raises InvalidInput for executors and tools that are not here."""
        self._check(config)
        data = {"loop": config.model_dump(mode="json")}
        return await self._start(config, data, owner_id, source, idempotency_key, execution_id)

    async def standing(self, execution_id: str, *, owner_id: str, turn: int | None = None) -> Standing:
        """Return where a loop stands, or stood after a turn. Raises NotFound."""
        row = await self.engine.reader.read(get_execution, owner_id=owner_id, execution_id=execution_id)
        if row is None or row["kind"] != LoopDefinition.kind:
            raise NotFound(f"there is no loop {execution_id!r}")
        root = await self.engine.reader.read(root_event, execution_id)
        [task] = await self.engine.reader.read(tasks_of, execution_id)
        assert root is not None
        steps = await self.engine.load_steps(task["id"])
        data = from_json(root["output_data"])
        begin = beginning(data, row["created_at_ms"])
        at = folded(begin, steps, until_turn=turn, more_iters=data["loop"]["max_iters"])
        if turn is not None and at.turn != turn:
            raise InvalidInput(
                f"the loop has no turn {turn}",
                hint=f"it has {at.turn} so far",
                detail=[{"field": "turn", "rule": f"at most {at.turn}"}],
            )
        return at

    async def fork(
        self,
        execution_id: str,
        *,
        turn: int,
        owner_id: str,
        source: str,
        changes: dict[str, Any] | None = None,
    ) -> str:
        """Start a new loop that goes on after a turn of this one; `changes` are fields of its configuration.

        Turns before are taken over and not paid for again. Raises NotFound, InvalidInput.
        """
        at = await self.standing(execution_id, owner_id=owner_id, turn=turn)
        if at.is_capped:
            at = at.beyond_cap({"decision": "approve"}, 0)
        if at.node == END:
            raise InvalidInput(f"the loop ended with turn {turn}", hint="fork at an earlier turn")
        root = await self.engine.reader.read(root_event, execution_id)
        assert root is not None
        config = _changed(from_json(root["output_data"])["loop"], changes or {})
        self._check(config)
        if config.max_iters <= at.state["iters"]:
            raise InvalidInput(
                f"{at.state['iters']} turns are used already",
                hint="allow more with max_iters",
                detail=[{"field": "changes.max_iters", "rule": f"more than {at.state['iters']}"}],
            )
        data = {
            "loop": config.model_dump(mode="json"),
            "from": {**at.to_wire(), "execution_id": execution_id},
        }
        return await self._start(config, data, owner_id, source, None, None)

    async def _start(
        self,
        config: LoopConfig,
        data: dict[str, Any],
        owner_id: str,
        source: str,
        idempotency_key: str | None,
        execution_id: str | None,
    ) -> str:
        key = definition_key(config)
        definition = await self.engine.definition_by_id(key)
        receipt = await self.intake.start_execution(
            definition, manifest_id=key, owner_id=owner_id, name=LOOP_EVENT,
            data=data, source=source, idempotency_key=idempotency_key, execution_id=execution_id,
            title=" ".join(config.goal.split())[:_LONGEST_TITLE],
        )  # fmt: skip
        return receipt.execution_id

    def _check(self, config: LoopConfig) -> None:
        known = self.services.executors.by_kind
        missing = [name for name in config.executors if name.partition(":")[0] not in known]
        if missing:
            raise InvalidInput(
                f"nobody here does steps of the kind {missing[0].partition(':')[0]!r}",
                hint=f"known: {', '.join(sorted(known))}",
                detail=[{"field": "executors", "rule": f"{missing[0]!r} is not known here"}],
            )
        registered = self.services.turns.services.catalog.names()
        unknown = [name for name in config.tools if name not in registered]
        if unknown:
            raise InvalidInput(
                f"there is no tool {unknown[0]!r}",
                hint=f"registered: {', '.join(registered)}",
                detail=[{"field": "tools", "rule": f"{unknown[0]!r} is not registered"}],
            )


def _changed(fields: dict[str, Any], changes: dict[str, Any]) -> LoopConfig:
    try:
        return LoopConfig.model_validate({**fields, **changes})
    except ValidationError as error:
        detail = [{"field": ".".join(map(str, e["loc"])), "rule": e["msg"]} for e in error.errors()]
        raise InvalidInput(f"{detail[0]['field']}: {detail[0]['rule']}", detail=detail) from error
