"""Who acts, and who may decide what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.domain.errors import NotAllowed

DECIDERS = frozenset({"owner", "admin"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """The caller behind a token."""

    user: str
    role: str
    """owner, admin, member, viewer, or agent."""
    owner_id: str

    @property
    def is_agent(self) -> bool:
        return self.role == "agent"


def check_may_decide(
    person: Person, *, who: dict[str, Any], assigned_to: list[str], requested_by: str | None
) -> None:
    """Raise NotAllowed when the person may not decide (approval rules P4)."""
    if person.is_agent or person.role == "viewer":
        raise NotAllowed(
            f"a {person.role} cannot decide approvals", hint="a person with a token of their own decides"
        )
    if who.get("not_requester") and requested_by is not None and requested_by == person.user:
        raise NotAllowed("the one who asked cannot decide", hint="somebody else has to look at it")
    if assigned_to:
        if person.user not in assigned_to and person.role not in assigned_to and person.role != "owner":
            raise NotAllowed(f"the approval is assigned to {', '.join(assigned_to)}")
        return
    users, roles = who.get("users") or [], who.get("roles") or []
    allowed = (person.user in users or person.role in roles) if users or roles else person.role in DECIDERS
    if not allowed:
        wanted = [*users, *roles] or sorted(DECIDERS)
        raise NotAllowed(
            f"this approval is for {', '.join(wanted)}", hint="ask one of them, or have it reassigned"
        )
