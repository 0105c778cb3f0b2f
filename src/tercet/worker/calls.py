"""HTTP to the server: what may work later is tried again, what is refused raises the server's words."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from typing import Any, Self

import httpx

from tercet.domain.errors import (
    CallerError,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    TooLarge,
)
from tercet.domain.retry import RetryPolicy, backoff_seconds

_BACKOFF = RetryPolicy(max_attempts=100, backoff="exponential", backoff_seconds=0.5, max_backoff_seconds=30.0)
_LAST_ATTEMPT = 50
"""From here on the delay grows no more, and neither does the count."""
_REFUSALS: dict[int, type[CallerError]] = {
    401: NotAuthenticated, 403: NotAllowed, 404: NotFound, 409: Conflict, 422: InvalidInput,
}  # fmt: skip
_TRY_AGAIN = frozenset({408, 425, 429})
_TOO_LARGE, _NO_CONTENT, _SERVER_FAILED = 413, 204, 500
_ANSWER_SECONDS = 30.0


class Calls:
    """A client with an agent's key. Use it as a context manager."""

    def __init__(self, url: str, api_key: str, log: logging.Logger) -> None:
        self._http = httpx.AsyncClient(
            base_url=f"{url.rstrip('/')}/api/v1", headers={"Authorization": f"Bearer {api_key}"}
        )
        self._log = log

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def call(
        self, method: str, path: str, *, body: Any = None, params: dict[str, Any] | None = None,
        answer_seconds: float = _ANSWER_SECONDS,
    ) -> Any:  # fmt: skip
        """Return the answer's JSON, None for an empty one. Tries until the server answers.

        Raises NotAuthenticated, NotAllowed, NotFound, Conflict, InvalidInput, TooLarge, CallerError.
        """
        attempt = 0
        while True:
            attempt = min(attempt + 1, _LAST_ATTEMPT)
            floor_seconds = 0.0
            try:
                answer = await self._http.request(
                    method, path, json=body, params=params, timeout=answer_seconds
                )
            except httpx.TransportError as error:
                self._log.warning("The server does not answer: %s", type(error).__name__)
            else:
                if answer.status_code not in _TRY_AGAIN and answer.status_code < _SERVER_FAILED:
                    with contextlib.suppress(ValueError):  # no JSON: something else than the server answered
                        return _content(answer)
                self._log.warning("The server answered %d", answer.status_code)
                floor_seconds = _retry_after_seconds(answer)
            delay = backoff_seconds(
                _BACKOFF, attempt=attempt, random=random.random(), retry_after_seconds=floor_seconds,  # noqa: S311 jitter
            )  # fmt: skip
            await asyncio.sleep(delay or _BACKOFF.max_backoff_seconds)


def refusal(answer: httpx.Response) -> Exception:
    """Return the error that a refusing answer stands for."""
    try:
        told = answer.json()
        message, hint, detail = str(told.get("error")), told.get("hint"), told.get("detail") or ()
    except (ValueError, AttributeError):
        message, hint, detail = f"the server answered {answer.status_code}", None, ()
    if answer.status_code == _TOO_LARGE:
        return TooLarge(message, hint=hint, detail=detail)
    return _REFUSALS.get(answer.status_code, CallerError)(message, hint=hint, detail=detail)


def _content(answer: httpx.Response) -> Any:
    if answer.is_error:
        raise refusal(answer)
    return None if answer.status_code == _NO_CONTENT or not answer.content else answer.json()


def _retry_after_seconds(answer: httpx.Response) -> float:
    try:
        return max(0.0, float(answer.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
