"""Subtasks as people and agents write them: checked as a whole before they take the place of others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tercet.domain.errors import InvalidInput
from tercet.plans.model import PlanSubtask

_MOST_SUBTASKS = 500
_SUBTASKS = TypeAdapter(list[PlanSubtask])


def read_edited(value: Any, *, taken: Collection[str] = ()) -> list[PlanSubtask]:
    """Return the subtasks; `taken` are ids of the plan's other parts. Raises InvalidInput naming what is wrong."""
    try:
        subtasks = _SUBTASKS.validate_python(value)
    except ValidationError as error:
        detail = [
            {"field": ".".join(["subtasks", *map(str, e["loc"])]), "rule": e["msg"]}
            for e in error.errors()[:100]
        ]
        raise InvalidInput(f"{detail[0]['field']}: {detail[0]['rule']}", detail=detail) from error
    if not 1 <= len(subtasks) <= _MOST_SUBTASKS:
        raise _invalid("subtasks", f"has to have 1 to {_MOST_SUBTASKS} entries")
    names: set[str] = set()
    for subtask in subtasks:
        if subtask.subtask_id in names or subtask.subtask_id in taken:
            raise _invalid("subtask_id", f"{subtask.subtask_id!r} occurs twice in the plan")
        names.add(subtask.subtask_id)
    for subtask in subtasks:
        for before in subtask.prerequisites:
            if before not in names:
                raise _invalid(
                    "prerequisites", f"{subtask.subtask_id!r} depends on {before!r}, which does not exist"
                )
    cycle = find_cycle(subtasks)
    if cycle:
        raise _invalid("prerequisites", f"go round in a circle: {' → '.join(cycle)}")
    return subtasks


def checked_subtasks(value: Any) -> list[dict[str, Any]]:
    """Return the subtasks as JSON-ready values with every default filled in. Raises InvalidInput."""
    return [subtask.model_dump(mode="json") for subtask in read_edited(value)]


def find_cycle(subtasks: Sequence[PlanSubtask]) -> list[str]:
    """Return the ids of subtasks that wait for each other, first and last the same; empty when none do."""
    try:
        TopologicalSorter({s.subtask_id: s.prerequisites for s in subtasks}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _invalid(field: str, rule: str) -> InvalidInput:
    return InvalidInput(f"{field} {rule}", detail=[{"field": field, "rule": rule}])
