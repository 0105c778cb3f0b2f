"""Looking at personal data unmasked: who may, and a record of who did."""

from __future__ import annotations

from tercet.domain.errors import NotAllowed
from tercet.domain.masking import View
from tercet.engine.engine import Engine
from tercet.humans.person import Person
from tercet.store import statements as sql
from tercet.store.notices import list_reveals
from tercet.store.reader import Record
from tercet.store.unit import Unit

_MAY_REVEAL = frozenset({"owner", "admin", "member"})


class Reveals:
    """Records every look before it is given."""

    def __init__(self, engine: Engine, *, masked: View) -> None:
        self._engine = engine
        self.masked = masked
        """How values are shown to whoever did not ask for more."""

    async def record(self, person: Person, *, execution_id: str, what: str) -> None:
        """Note that the person sees `what` of the execution unmasked. Raises NotAllowed for viewers and agents."""
        if person.role not in _MAY_REVEAL:
            raise NotAllowed(f"a {person.role} sees personal data masked only", hint="leave reveal out")
        unit = Unit()
        unit.add(
            sql.INSERT_REVEAL,
            (
                self._engine.mint.mint("rvl"), person.owner_id, person.user, person.role, execution_id, what,
                self._engine.clock.now_ms(),
            ),
        )  # fmt: skip
        await self._engine.journal.submit(unit)

    async def list(self, owner_id: str, *, limit: int, before: str | None = None) -> list[Record]:
        """Return an owner's looks, newest first."""
        return await self._engine.reader.read(list_reveals, owner_id=owner_id, limit=limit, before=before)
