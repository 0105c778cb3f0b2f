"""The events of one task, on their way: sent in order, repeated until the server has them, recorded once.

An event keeps its timestamp, and the server knows a repetition by it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tercet.domain.errors import CallerError, NotAuthenticated, TooLarge
from tercet.worker.calls import Calls

_GAP_SECONDS = 2.0
"""Between two sendings of progress; what comes in between goes together. Keeps far from the server's rate limit."""
_MOST_AT_ONCE = 100
_LONGEST_TEXT = 20_000
_TICK = timedelta(microseconds=1)


class Reports:
    """An outbox. `hear` gets every answer, which may ask the agent to stop."""

    def __init__(
        self, calls: Calls, *, agent_id: str, execution_id: str, task_id: str, log: logging.Logger,
        hear: Callable[[dict[str, Any]], None],
    ) -> None:  # fmt: skip
        self._calls = calls
        self._path = f"/executions/{execution_id}/events/batch"
        self._about = {"agent_id": agent_id, "task_id": task_id}
        self._log = log
        self._hear = hear
        self._waiting: list[dict[str, Any]] = []
        self._wake = asyncio.Event()
        self._sending = asyncio.Lock()
        self._last_at = datetime.min.replace(tzinfo=UTC)

    def add(self, event_type: str, *, message: str | None = None, **fields: Any) -> None:
        """Queue an event."""
        # Two events that say the same are two events: no timestamp is used twice.
        self._last_at = max(datetime.now(UTC), self._last_at + _TICK)
        event = {
            **self._about,
            "event_type": event_type,
            "agent_timestamp": self._last_at.isoformat(),
            **fields,
        }
        if message is not None:
            event["message"] = message[:_LONGEST_TEXT]
        self._waiting.append(event)
        self._wake.set()

    async def keep_sending(self) -> None:
        """Send what is queued until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.flush()
            await asyncio.sleep(_GAP_SECONDS)

    async def flush(self) -> list[dict[str, Any]]:
        """Send all that is queued; return the answers. An event leaves the queue when the server has answered."""
        answers: list[dict[str, Any]] = []
        async with self._sending:
            while self._waiting:
                answers += await self._send(self._waiting[:_MOST_AT_ONCE])
        return answers

    async def _send(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in events:
            self._log.info("Reporting event: %s for task %s", event["event_type"], event["task_id"])
        try:
            told = await self._calls.call("POST", self._path, body={"events": events})
            answers: list[dict[str, Any]] = told["items"]
        except NotAuthenticated:
            raise
        except (CallerError, TooLarge) as error:
            if len(events) > 1:
                return [answer for event in events for answer in await self._send([event])]
            answers = [{"recorded": False, "error": {"code": error.code, "message": error.message}}]
        for event, answer in zip(events, answers, strict=True):
            self._waiting.remove(event)
            if not answer["recorded"]:
                self._log.warning("%s was refused: %s", event["event_type"], answer["error"]["message"])
            self._hear(answer)
        return answers
