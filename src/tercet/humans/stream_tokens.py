"""Short-lived tokens for streams: a browser can send no header with a WebSocket, so these go into the address (JWT)."""

from __future__ import annotations

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from tercet.domain.clock import Clock
from tercet.domain.errors import NotAuthenticated
from tercet.humans.person import Person

LIFETIME_SECONDS = 3_600
_AUDIENCE = "tercet-stream"
_ALGORITHM = "HS256"


class StreamTokens:
    """Makes and checks them. They open streams and nothing else."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        self._key = OctKey.import_key(key)
        self._clock = clock

    def create(self, person: Person) -> str:
        """Return a token that stands for the person for LIFETIME_SECONDS."""
        now = self._clock.now_ms() // 1000
        claims = {
            "sub": person.user, "role": person.role, "owner": person.owner_id, "aud": _AUDIENCE, "iat": now,
            "exp": now + LIFETIME_SECONDS,
        }  # fmt: skip
        return jwt.encode({"alg": _ALGORITHM}, claims, self._key)

    def check(self, token: str) -> Person:
        """Return who the token stands for. Raises NotAuthenticated."""
        try:
            claims = jwt.decode(token, self._key, algorithms=[_ALGORITHM]).claims
            known = Person(user=str(claims["sub"]), role=str(claims["role"]), owner_id=str(claims["owner"]))
            expires, audience = int(claims["exp"]), claims["aud"]
        except (JoseError, ValueError, KeyError, TypeError) as error:
            raise NotAuthenticated(
                "the stream token is not valid", hint="POST /stream-token gives one"
            ) from error
        if audience != _AUDIENCE or expires <= self._clock.now_ms() // 1000:
            raise NotAuthenticated(
                "the stream token has expired", hint="POST /stream-token gives another one"
            )
        return known
