"""Signed messages are taken once: their ids are kept for as long as their timestamps would be accepted."""

from __future__ import annotations

from collections.abc import Mapping

from tercet.domain.errors import Conflict
from tercet.domain.webhooks import TOLERANCE_SECONDS, verify_incoming
from tercet.engine.engine import Engine
from tercet.store import statements as sql
from tercet.store.unit import Unit

_KEPT_MS = 2 * TOLERANCE_SECONDS * 1000
"""A message dated five minutes ahead is accepted until five minutes after its date."""


class Replays:
    """Verifies incoming messages and remembers their ids, on disk and bounded by time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def take(self, sender: str, headers: Mapping[str, str], body: bytes, secret: str) -> str:
        """Return the id of a message of `sender` that is taken now. Raises NotAuthenticated, Conflict for a replay."""
        now_ms = self._engine.clock.now_ms()
        message_id = verify_incoming(headers, body, secret, now_ms / 1000)
        unit = Unit()
        unit.add(sql.INSERT_RECEIVED_MESSAGE, (sender, message_id, now_ms))
        unit.add(sql.FORGET_RECEIVED_MESSAGES, (now_ms - _KEPT_MS,))
        try:
            await self._engine.journal.submit(unit)
        except Conflict as error:
            raise Conflict(
                f"the message {message_id!r} was taken already", hint="each message has an id of its own"
            ) from error
        return message_id
