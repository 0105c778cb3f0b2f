"""Which kind of plan some bytes are, and the reader for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercet.plans.model import Plan
from tercet.plans.problems import PlanProblem
from tercet.plans.reading.archive import files_of_zip
from tercet.plans.reading.plan_csv import read_plan_csv
from tercet.plans.reading.plan_json import read_plan_json
from tercet.plans.reading.planexe import read_planexe
from tercet.plans.reading.usage import ModelCall, read_usage


@dataclass(frozen=True, kw_only=True)
class ImportedPlan:
    """What an import gave."""

    plan: Plan
    source: str
    """planexe, json or csv."""
    problems: list[PlanProblem]
    calls: list[ModelCall] = field(default_factory=list)
    """What the making of the plan has cost, where the run tells it."""


def read_any(content: bytes, *, title: str = "Plan", sequential_siblings: bool = False) -> ImportedPlan:
    """Read a zip of a PlanExe run, the plan JSON, or CSV. Raises InvalidInput, TooLarge."""
    if content.startswith(b"PK"):
        return read_run(files_of_zip(content), sequential_siblings=sequential_siblings)
    if content.lstrip()[:1] in (b"{", b"["):
        plan, problems = read_plan_json(content)
        return ImportedPlan(plan=plan, source="json", problems=problems)
    plan, problems = read_plan_csv(content, title=title)
    return ImportedPlan(plan=plan, source="csv", problems=problems)


def read_run(files: dict[str, bytes], *, sequential_siblings: bool = False) -> ImportedPlan:
    """Read the files of a PlanExe run."""
    plan, problems = read_planexe(files, sequential_siblings=sequential_siblings)
    calls, more = read_usage(files)
    return ImportedPlan(plan=plan, source="planexe", problems=[*problems, *more], calls=calls)
