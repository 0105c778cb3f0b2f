"""What a reader gets to see: masked, unless a person asks for more and it is recorded."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from tercet.domain.masking import View, as_it_is
from tercet.humans.person import Person
from tercet.web.access import Node

Reveal = Annotated[bool, Query(description="Show personal data unmasked; who looks is recorded.")]


async def view_of(node: Node, person: Person, *, reveal: bool, execution_id: str, what: str) -> View:
    """Return how to show `what` of an execution. Raises NotAllowed when the person may not see it unmasked."""
    if not reveal:
        return node.reveals.masked
    await node.reveals.record(person, execution_id=execution_id, what=what)
    return as_it_is
