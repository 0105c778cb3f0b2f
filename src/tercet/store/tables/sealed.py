"""The type of columns that hold what people and programs sent: stored sealed, read as it was."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import operators

from tercet.domain.sealing import CannotOpen, Keyring, is_sealed

_KEYRING = "tercet_keyring"
_WITHOUT_CONTENT = (operators.is_, operators.is_not)


class _Opaque(sa.Text.Comparator[str]):
    """Refuses what cannot work on sealed text: the database compares, sorts and searches ciphertext."""

    def operate(self, op: Any, *other: Any, **kwargs: Any) -> Any:
        if op not in _WITHOUT_CONTENT:
            raise TypeError(f"{self.expr} is sealed: the database can only tell whether it is NULL")
        return super().operate(op, *other, **kwargs)


class Sealed(sa.types.TypeDecorator[str]):
    """Text that is sealed at rest, bound to `belongs_to` (`table.column`).

    Reads open it with the keyring of their engine (`give_keyring`); text that is not sealed is read as it
    is. The journal seals by position (`Statement.sealed`).
    """

    impl = sa.Text
    cache_ok = True
    comparator_factory = _Opaque

    def __init__(self, belongs_to: str) -> None:
        super().__init__()
        self.belongs_to = belongs_to

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Open a stored text. Raises CannotOpen."""
        if value is None or not is_sealed(value):
            return value
        keyring: Keyring | None = getattr(dialect, _KEYRING, None)
        if keyring is None:
            raise CannotOpen("the rows are sealed and there is no keyring", hint="open the data folder")
        return keyring.open(value, belongs_to=self.belongs_to)


def give_keyring(engine: sa.Engine, keyring: Keyring) -> None:
    """Let reads of this engine open sealed columns."""
    setattr(engine.dialect, _KEYRING, keyring)
