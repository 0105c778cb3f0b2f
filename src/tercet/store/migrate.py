"""Brings a database to the schema of this version."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from tercet.domain.errors import StoreUnavailable

HEAD = "0007"
"""The newest migration; a test compares it with the folder."""


def migrate(url: str) -> None:
    """Run what is missing. A database of a newer version is refused. Quick when there is nothing to do."""
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            current = _current(connection)
            if current == HEAD:
                return
            if current is not None and current > HEAD:
                raise StoreUnavailable(
                    f"the database has the schema {current}, this version knows {HEAD}",
                    hint="use the newer version of Tercet",
                )
            _upgrade(connection)
            connection.commit()
    except sa.exc.DatabaseError as error:
        raise StoreUnavailable(
            f"the database cannot be opened: {str(error.orig).splitlines()[0]}",
            hint="check the file; restore a backup if it is damaged",
        ) from error
    finally:
        engine.dispose()


def _current(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return version


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
