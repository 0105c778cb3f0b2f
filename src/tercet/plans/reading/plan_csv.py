"""Reads a plan from CSV: one row a task or subtask, in the columns that `write_csv` writes."""

from __future__ import annotations

import csv
import io
from typing import Any

from tercet.domain.errors import InvalidInput, TooLarge
from tercet.domain.text import decode_text
from tercet.plans.model import Plan
from tercet.plans.problems import PlanProblem
from tercet.plans.reading.checking import checked
from tercet.plans.reading.plan_json import read_plan_json

COLUMNS = (
    "phase_id", "phase", "task_id", "task", "description", "assignee_role", "estimated_hours", "priority", "risk_tier",
    "prerequisites", "subtask_id", "subtask", "action",
)  # fmt: skip
_NEEDED = ("task_id",)
_MOST_ROWS = 100_000
_NUMBERS = {"estimated_hours": float, "priority": int, "risk_tier": int}


def read_plan_csv(content: bytes, *, title: str) -> tuple[Plan, list[PlanProblem]]:
    """Return the plan and what was left out. Raises InvalidInput for what is no such table, TooLarge."""
    decoded = decode_text(content)
    if decoded is None:
        raise InvalidInput("the file is no text")
    try:
        dialect: Any = csv.Sniffer().sniff(decoded[0][:4_000], delimiters=",;\t")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = list(csv.DictReader(io.StringIO(decoded[0]), dialect=dialect))
    except csv.Error as error:
        raise InvalidInput(f"the file is no table: {error}") from error
    if len(rows) > _MOST_ROWS:
        raise TooLarge(f"the table has more than {_MOST_ROWS:,} rows")
    missing = [name for name in _NEEDED if not rows or name not in rows[0]]
    if missing:
        raise InvalidInput(f"the table has no column {missing[0]!r}", hint=f"columns: {', '.join(COLUMNS)}")
    problems: list[PlanProblem] = []
    plan, more = read_plan_json(_assemble(rows, title, problems))
    plan, most = checked(plan, file="table")
    return plan, [*problems, *more, *most]


def _assemble(rows: list[dict[str, str]], title: str, problems: list[PlanProblem]) -> dict[str, Any]:
    phases: dict[str, dict[str, Any]] = {}
    tasks: dict[str, dict[str, Any]] = {}
    for line, row in enumerate(rows, start=2):
        # A row that is longer than the header has a list under None, a shorter one None as value.
        cell = {str(name): str(value or "").strip() for name, value in row.items()}
        task_id = cell.get("task_id", "")
        if not task_id:
            problems.append(
                PlanProblem(
                    place=f"line {line}", rule="missing-task-id", message="the row has no task_id",
                    hint="the row was left out",
                )
            )  # fmt: skip
            continue
        phase_id = cell.get("phase_id") or "phase_1"
        phase = phases.setdefault(
            phase_id, {"phase_id": phase_id, "name": cell.get("phase", ""), "tasks": []}
        )
        task = tasks.get(task_id)
        if task is None:
            task = tasks[task_id] = {"task_id": task_id, "subtasks": []}
            phase["tasks"].append(task)
            _fill(task, cell, line, problems)
        if cell.get("subtask_id"):
            subtask = {"subtask_id": cell["subtask_id"], "title": cell.get("subtask", "")}
            if cell.get("action"):
                subtask["action"] = cell["action"]
            task["subtasks"].append(subtask)
    return {"title": title, "phases": list(phases.values())}


def _fill(task: dict[str, Any], cell: dict[str, str], line: int, problems: list[PlanProblem]) -> None:
    task["title"] = cell.get("task", "")
    task["description"] = cell.get("description", "")
    if cell.get("assignee_role"):
        task["assignee_role"] = cell["assignee_role"]
    task["prerequisites"] = [name for name in cell.get("prerequisites", "").replace(",", " ").split() if name]
    for name, kind in _NUMBERS.items():
        if not cell.get(name):
            continue
        try:
            number = kind(cell[name])
        except ValueError:
            number = -1
        if number != number or number < (0 if name == "estimated_hours" else 1) or number > 1_000_000:
            problems.append(
                PlanProblem(
                    place=f"line {line}", rule="impossible-number",
                    message=f"{name} of {task['task_id']!r} is {cell[name][:50]!r}",
                    hint="the value was left out",
                )
            )  # fmt: skip
        else:
            task[name] = number
