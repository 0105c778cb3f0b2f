"""Seals the rows of a statement on their way to the disk."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.domain.sealing import Keyring, is_sealed
from tercet.store.unit import Row, Statement


class Sealer:
    """Seals sealed columns by position. Without `seal_all` only text that could be mistaken for sealed text."""

    def __init__(self, keyring: Keyring, *, seal_all: bool) -> None:
        self.ring = keyring
        self.seals_all = seal_all

    def seal_rows(self, statement: Statement, rows: Sequence[Row]) -> list[Row]:
        """Return the rows with what has to be sealed."""
        seal, seal_all = self.ring.seal, self.seals_all
        sealed: list[Row] = []
        for row in rows:
            values = list(row)
            for position, belongs_to in statement.sealed:
                text = values[position]
                if text is not None and (seal_all or is_sealed(text)):
                    values[position] = seal(text, belongs_to=belongs_to)
            sealed.append(tuple(values))
        return sealed
