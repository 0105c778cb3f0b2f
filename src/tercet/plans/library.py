"""The plans of an owner: import, read, delete."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidInput, NotFound
from tercet.domain.prices import to_pico
from tercet.engine.engine import Engine
from tercet.plans.model import Plan
from tercet.plans.network import build_network
from tercet.plans.reading.detect import ImportedPlan
from tercet.plans.reading.usage import ModelCall
from tercet.store import statements as sql
from tercet.store.plans import list_plans, load_plan
from tercet.store.reader import Record
from tercet.store.unit import Unit


@dataclass(frozen=True, kw_only=True)
class StoredPlan:
    """A plan of the library."""

    id: str
    owner_id: str
    source: str
    plan: Plan
    problems: list[dict[str, Any]]
    created_at_ms: int


class PlanLibrary:
    """Plans by id, each its owner's. Only the subtasks of a plan ever change (`plans.starting`)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, imported: ImportedPlan, *, owner_id: str) -> StoredPlan:
        """Store a plan, and in the ledger what its making has cost. Raises CyclicPlan, InvalidInput for an empty one."""
        plan, engine = imported.plan, self._engine
        names = {phase.phase_id: phase.name for phase in plan.phases} | {
            t.task_id: t.title for t in plan.tasks
        }
        build_network(plan).order(names)
        tasks = len(list(plan.tasks))
        if tasks == 0:
            raise InvalidInput("the plan has no tasks", hint="a plan needs at least one task in a phase")
        plan_id, now_ms = engine.mint.mint("pln"), engine.clock.now_ms()
        unit = Unit()
        unit.add(
            sql.INSERT_PLAN,
            (
                plan_id, owner_id, plan.title, imported.source, to_json(plan.model_dump(mode="json", by_alias=True)),
                to_json([problem.to_wire() for problem in imported.problems]), tasks, now_ms, None,
            ),
        )  # fmt: skip
        for number, call in enumerate(imported.calls, start=1):
            ledger_id = engine.mint.mint("led")
            unit.add(sql.INSERT_LEDGER, _ledger_row(ledger_id, owner_id, plan_id, number, call, now_ms))
        await engine.journal.submit(unit)
        return await self.get(plan_id, owner_id=owner_id)

    async def get(self, plan_id: str, *, owner_id: str) -> StoredPlan:
        """Return a plan. Raises NotFound."""
        row = await self._engine.reader.read(load_plan, owner_id=owner_id, plan_id=plan_id)
        if row is None:
            raise NotFound(f"there is no plan {plan_id!r}")
        return StoredPlan(
            id=row["id"], owner_id=row["owner_id"], source=row["source"],
            plan=Plan.model_validate(from_json(row["body"])), problems=from_json(row["problems"]),
            created_at_ms=row["created_at_ms"],
        )  # fmt: skip

    async def all(self, *, owner_id: str, limit: int, before: str | None = None) -> list[Record]:
        """Return plans without their contents, newest first."""
        rows: list[Record] = await self._engine.reader.read(
            list_plans, owner_id=owner_id, limit=limit, before=before
        )
        return rows

    async def delete(self, stored: StoredPlan) -> None:
        """Take a plan out of the library. Its executions and its costs stay."""
        unit = Unit()
        unit.add(sql.DELETE_PLAN, (self._engine.clock.now_ms(), stored.id))
        await self._engine.journal.submit(unit)


def _ledger_row(
    ledger_id: str, owner_id: str, plan_id: str, number: int, call: ModelCall, now_ms: int
) -> tuple[Any, ...]:
    cost = to_pico(call.cost_usd or Decimal(0))
    return (
        ledger_id, owner_id, plan_id, plan_id, f"usage:{number}", "planexe", "import", call.model, "SETTLED", 0, 0, cost,
        call.tokens_input, call.tokens_output, 0, 0, to_json(call.flags), call.at[:10], now_ms, now_ms,
    )  # fmt: skip
