"""Writes that only the keeping of data makes: sealing again, archiving, putting back.

They take sealed text as it is stored, so the journal seals none of their values.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as _insert

from tercet.store import tables
from tercet.store.statements import DELETE, INSERT, UPDATE, compile_statement
from tercet.store.tables.sealed import Sealed
from tercet.store.unit import Statement

OF_EXECUTIONS: tuple[sa.Table, ...] = (
    tables.executions,
    tables.execution_agents,
    tables.execution_subtasks,
    tables.execution_tasks,
    tables.execution_events,
    tables.waits,
    tables.fan_ins,
    tables.timers,
    tables.tool_audit,
    tables.approval_items,
)
"""The tables whose rows are archived with their execution, subtasks before the tasks that lead to them."""


def sealed_columns(table: sa.Table) -> list[sa.Column[str]]:
    """Return the columns that hold sealed text: those of the type, and secrets, which are named `…_sealed`.

    A secret is bound to its row's primary key.
    """
    return [c for c in table.columns if isinstance(c.type, Sealed) or c.name.endswith("_sealed")]


def stored(column: sa.Column[str]) -> sa.ColumnElement[str]:
    """Return a column as the database has it, sealed text unopened."""
    return sa.type_coerce(column, sa.Text)


def _compile(name: str, phase: int, clause: sa.UpdateBase, columns: tuple[str, ...]) -> Statement:
    return replace(compile_statement(name, phase, clause, columns), sealed=())


def _reseal(column: sa.Column[str]) -> Statement:
    """New text, the key, the text that it replaces: a row that has changed in between is left alone."""
    table = column.table
    key = tuple(c.name for c in table.primary_key)
    clause = (
        sa.update(table)
        .values({column.name: sa.bindparam("new")})
        .where(
            *(table.c[name] == sa.bindparam(f"key_{name}") for name in key),
            stored(column) == sa.bindparam("old"),
        )
    )
    return _compile(
        f"reseal_{table.name}_{column.name}", UPDATE, clause, ("new", *(f"key_{name}" for name in key), "old")
    )


def _restore(table: sa.Table) -> Statement:
    """Every column but `position`, which the database gives anew. Approvals may be there already."""
    columns = tuple(c.name for c in table.columns if c.name != "position")
    clause = _insert(table).values({name: sa.bindparam(name) for name in columns})
    if table is tables.approvals:
        clause = clause.on_conflict_do_nothing()
    return _compile(f"restore_{table.name}", INSERT, clause, columns)


def _archive(table: sa.Table) -> Statement:
    key: sa.BindParameter[str] = sa.bindparam("key_execution_id")
    if table is tables.execution_subtasks:
        tasks = sa.select(tables.execution_tasks.c.id).where(tables.execution_tasks.c.execution_id == key)
        mine: sa.ColumnElement[bool] = table.c.task_id.in_(tasks)
    else:
        mine = (table.c.id if table is tables.executions else table.c.execution_id) == key
    return _compile(f"archive_{table.name}", DELETE, sa.delete(table).where(mine), ("key_execution_id",))


def _archive_approval() -> Statement:
    items = sa.select(tables.approval_items.c.id).where(
        tables.approval_items.c.approval_id == tables.approvals.c.id
    )
    clause = sa.delete(tables.approvals).where(
        tables.approvals.c.id == sa.bindparam("key_id"), ~sa.exists(items)
    )
    return _compile("archive_approvals", DELETE, clause, ("key_id",))


def _write(table: sa.Table) -> Statement:
    columns = tuple(c.name for c in table.columns)
    clause = sa.insert(table).values({name: sa.bindparam(name) for name in columns})
    return _compile(f"insert_{table.name}", INSERT, clause, columns)


def _remove(table: sa.Table) -> Statement:
    key = tuple(c.name for c in table.primary_key)
    clause = sa.delete(table).where(*(table.c[name] == sa.bindparam(f"key_{name}") for name in key))
    return _compile(f"delete_{table.name}", DELETE, clause, tuple(f"key_{name}" for name in key))


RESEAL: dict[tuple[str, str], Statement] = {
    (table.name, column.name): _reseal(column)
    for table in tables.metadata.sorted_tables
    for column in sealed_columns(table)
}
"""By table and column."""
RESTORE: dict[str, Statement] = {table.name: _restore(table) for table in (*OF_EXECUTIONS, tables.approvals)}
ARCHIVE: dict[str, Statement] = {table.name: _archive(table) for table in OF_EXECUTIONS}
ARCHIVE_APPROVAL = _archive_approval()
"""Goes once none of its items is left."""
INSERT_UNLOCK = _write(tables.unlocks)
INSERT_ARCHIVE = _write(tables.archives)
INSERT_ARCHIVED = _write(tables.archived_executions)
DELETE_ARCHIVED = _remove(tables.archived_executions)
DELETE_UNLOCK = _remove(tables.unlocks)

ALL: tuple[Statement, ...] = (
    INSERT_UNLOCK, INSERT_ARCHIVE, INSERT_ARCHIVED, *RESTORE.values(), *RESEAL.values(), *ARCHIVE.values(),
    ARCHIVE_APPROVAL, DELETE_ARCHIVED, DELETE_UNLOCK,
)  # fmt: skip
"""In the order in which a batch runs them."""
