"""What every table shares: the metadata with its names for keys, and the types of ids and times."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Id = sa.String(64)
Ms = sa.BigInteger


def id_column(name: str = "id") -> sa.Column[str]:
    return sa.Column(name, Id, primary_key=True)
