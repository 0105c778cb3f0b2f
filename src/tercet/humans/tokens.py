"""Bearer tokens: shown once, stored as digests."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from pathlib import Path

import sqlalchemy as sa

from tercet.domain.errors import InvalidInput, NotAuthenticated, NotFound
from tercet.engine.engine import Engine
from tercet.humans.person import Person
from tercet.store import statements as sql
from tercet.store.reader import Record, first, records
from tercet.store.tables import tokens
from tercet.store.unit import Unit

ROLES = ("owner", "admin", "member", "viewer", "agent")
DEFAULT_OWNER = "local"


def token_digest(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """Creates, checks and revokes tokens."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, tuple[Person, int | None]] = {}

    async def create(
        self,
        *,
        user: str,
        role: str,
        owner_id: str = DEFAULT_OWNER,
        expires_at_ms: int | None = None,
        token: str | None = None,
    ) -> tuple[str, str]:
        """Return (token_id, token). The token cannot be read again."""
        if role not in ROLES:
            raise InvalidInput(f"there is no role {role!r}", hint=f"roles: {', '.join(ROLES)}")
        if not user or len(user) > 200:
            raise InvalidInput("a user name has 1 to 200 characters")
        token = token or f"tct_{secrets.token_urlsafe(32)}"
        token_id = self._engine.mint.mint("tok")
        unit = Unit()
        unit.add(
            sql.INSERT_TOKEN,
            (
                token_id,
                owner_id,
                user,
                role,
                token_digest(token),
                self._engine.clock.now_ms(),
                expires_at_ms,
                None,
            ),
        )
        await self._engine.journal.submit(unit)
        return token_id, token

    async def check(self, token: str) -> Person:
        """Return who the token stands for. Raises NotAuthenticated."""
        digest = token_digest(token)
        known = self._known.get(digest)
        if known is None:
            row = await self._engine.reader.read(_find, digest)
            if row is None or row["revoked_at_ms"] is not None:
                raise NotAuthenticated(
                    "the token is not known", hint="see the admin-token file, or `tercet token create`"
                )
            person = Person(user=row["user"], role=row["role"], owner_id=row["owner_id"])
            known = self._known[digest] = (person, row["expires_at_ms"])
        person, expires_at_ms = known
        if expires_at_ms is not None and expires_at_ms <= self._engine.clock.now_ms():
            raise NotAuthenticated("the token has expired", hint="create another one")
        return person

    async def list(self, owner_id: str) -> list[Record]:
        """Return an owner's tokens, without the tokens themselves."""
        return await self._engine.reader.read(_list, owner_id)

    async def revoke(self, token_id: str, *, owner_id: str) -> None:
        """End a token. Raises NotFound."""
        row = next((row for row in await self.list(owner_id) if row["id"] == token_id), None)
        if row is None:
            raise NotFound(f"there is no token {token_id!r}")
        unit = Unit()
        unit.add(sql.REVOKE_TOKEN, (self._engine.clock.now_ms(), token_id))
        await self._engine.journal.submit(unit)
        self._known.clear()

    async def ensure_admin_token(self, path: Path) -> str:
        """Return the owner token in `path` (mode 0600), written on first start."""
        known = await asyncio.to_thread(_read_token, path)
        if known is not None and await self._engine.reader.read(_find, token_digest(known)) is not None:
            return known
        token = f"tct_{secrets.token_urlsafe(32)}"
        await self.create(user="admin", role="owner", token=token)
        await asyncio.to_thread(_write_token, path, token)
        return token


def _read_token(path: Path) -> str | None:
    return path.read_text().strip() if path.exists() else None


def _write_token(path: Path, token: str) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(token + "\n")


def _find(connection: sa.Connection, digest: str) -> Record | None:
    return first(connection.execute(sa.select(tokens).where(tokens.c.token_digest == digest)))


def _list(connection: sa.Connection, owner_id: str) -> list[Record]:
    columns = [c for c in tokens.columns if c.name != "token_digest"]
    return records(
        connection.execute(sa.select(*columns).where(tokens.c.owner_id == owner_id).order_by(tokens.c.id))
    )
