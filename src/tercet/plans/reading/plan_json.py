"""Reads the plan JSON: {title, goal, phases, dependencies, roles_required, risks}."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput
from tercet.plans.model import Plan
from tercet.plans.problems import PlanProblem
from tercet.plans.reading.checking import checked

_OTHER_NAMES = (("plan_goal", "goal"), ("name", "title"), ("plan_title", "title"))


def read_plan_json(content: bytes | str | dict[str, Any]) -> tuple[Plan, list[PlanProblem]]:
    """Return the plan and what was left out. Raises InvalidInput naming every field that breaks a rule."""
    body: Any = content
    if not isinstance(content, dict):
        try:
            body = from_json(content)
        except ValueError as error:
            raise InvalidInput(f"the plan is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidInput(
            "the plan has to be an object", detail=[{"field": "plan", "rule": "must be an object"}]
        )
    body = dict(body)
    for other, name in _OTHER_NAMES:
        if other in body and name not in body:
            body[name] = body.pop(other)
    try:
        plan = Plan.model_validate(body)
    except ValidationError as error:
        detail = [{"field": ".".join(map(str, e["loc"])), "rule": e["msg"]} for e in error.errors()[:100]]
        raise InvalidInput(f"{detail[0]['field']}: {detail[0]['rule']}", detail=detail) from error
    return checked(plan, file="plan")
