"""Archives, and the two ways in which the append-only tables may be touched (docs/decisions/0007).

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_FIXED = (
    "position", "execution_id", "seq", "event_type", "name", "task_id", "subtask_id", "agent_id", "status",
    "error_type", "human_review_required", "at_ms", "agent_at_ms",
)  # fmt: skip
_SEALED = ("message", "output_data", "error_message")
_MAY_DELETE = "EXISTS (SELECT 1 FROM unlocks WHERE purpose = 'archive' AND subject = OLD.execution_id)"
_MAY_RESEAL = "EXISTS (SELECT 1 FROM unlocks WHERE purpose = 'reseal')"


def _more_than_ciphertext_changes(differs: str) -> str:
    fixed = [f"NEW.{name} {differs} OLD.{name}" for name in _FIXED]
    sealed = [
        f"(NEW.{name} {differs} OLD.{name} AND (OLD.{name} IS NULL OR COALESCE(substr(NEW.{name}, 1, 4), '') <> 'enc:'))"
        for name in _SEALED
    ]
    return " OR ".join((*fixed, *sealed))


def _on_sqlite(table: str, *, update_when: str) -> tuple[str, ...]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    return (
        f"DROP TRIGGER {table}_no_delete",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN NOT {_MAY_DELETE} {refuse}",
        *(
            (
                f"DROP TRIGGER {table}_no_update",
                f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN {update_when} {refuse}",
            )
            if update_when
            else ()
        ),
    )


def _on_postgresql(table: str, *, update_when: str) -> tuple[str, ...]:
    update = (
        f"IF TG_OP = 'UPDATE' THEN IF NOT ({update_when}) THEN RETURN NEW; END IF; END IF;"
        if update_when
        else ""
    )
    return (
        f"""CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN
              IF TG_OP = 'DELETE' THEN IF {_MAY_DELETE} THEN RETURN OLD; END IF; END IF;
              {update}
              RAISE EXCEPTION '{table} is append-only';
            END $$""",
    )


def upgrade() -> None:
    op.create_table(
        "unlocks",
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("purpose", "subject", name=op.f("pk_unlocks")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "archives",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("file", sa.String(length=200), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("written_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_archives")),
    )
    op.create_table(
        "archived_executions",
        sa.Column("execution_id", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("archive_seq", sa.Integer(), nullable=False),
        sa.Column("archived_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("execution_id", name=op.f("pk_archived_executions")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_archived_executions_owner_id"), "archived_executions", ["owner_id"], unique=False
    )
    dialect = op.get_bind().dialect.name
    make, differs = {
        "sqlite": (_on_sqlite, "IS NOT"),
        "postgresql": (_on_postgresql, "IS DISTINCT FROM"),
    }[dialect]
    refused_update = f"NOT {_MAY_RESEAL} OR {_more_than_ciphertext_changes(differs)}"
    for statement in (
        *make("execution_events", update_when=refused_update),
        *make("tool_audit", update_when=""),
    ):
        op.execute(statement)
