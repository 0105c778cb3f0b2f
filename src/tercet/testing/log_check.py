"""Checks that the logs of a database fold to its rows."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tercet.domain.fold import FoldedExecution, fold
from tercet.store.reader import records
from tercet.store.tables import execution_events, execution_subtasks, execution_tasks, executions


def differences(connection: sa.Connection) -> list[str]:
    """Return in words every place where the rows say something else than the log; empty when all is well."""
    found: list[str] = []
    for row in records(connection.execute(sa.select(executions))):
        events = records(
            connection.execute(
                sa.select(execution_events)
                .where(execution_events.c.execution_id == row["id"])
                .order_by(execution_events.c.seq)
            )
        )
        try:
            folded = fold(events)
        except Exception as error:
            found.append(f"{row['id']}: the log does not fold: {error}")
            continue
        found += _compare(connection, row, folded)
    return found


def _compare(connection: sa.Connection, row: dict[str, Any], folded: FoldedExecution) -> list[str]:
    found = []
    # A plan's execution counts all tasks of the plan from its start; they are created when they can begin.
    total = row["tasks_total"] if row["plan_id"] else len(folded.tasks)
    wanted = (folded.status.value, total, folded.tasks_completed)
    stored = (row["status"], row["tasks_total"], row["tasks_completed"])
    if wanted != stored:
        found.append(f"{row['id']}: (status, total, completed) folds to {wanted}, stored {stored}")
    tasks = records(
        connection.execute(sa.select(execution_tasks).where(execution_tasks.c.execution_id == row["id"]))
    )
    if {task["id"] for task in tasks} != set(folded.tasks):
        found.append(f"{row['id']}: other tasks in the log than in the table")
    for task in tasks:
        known = folded.tasks.get(task["id"])
        if known is None:
            continue
        said = (known.status.value, known.attempt, known.failures, known.result_data)
        kept = (task["status"], task["attempt"], task["failures"], task["result_data"])
        if said != kept:
            found.append(f"{task['id']}: (status, attempt, failures, result) folds to {said}, stored {kept}")
        steps = connection.execute(
            sa.select(execution_subtasks.c.name, execution_subtasks.c.result_data).where(
                execution_subtasks.c.task_id == task["id"]
            )
        )
        stored_steps = {row[0]: row[1] for row in steps}
        if stored_steps != known.steps:
            found.append(f"{task['id']}: steps fold to {known.steps}, stored {stored_steps}")
    return found
