"""Claude's own client with a shorter way for the call that an agent makes most: a Messages request, answered whole.

The vendor's general way prepares, copies and converts each request several times; measured, it costs two thirds
of a turn's processor time (docs/decisions/0005). Streams, files and every other call take the vendor's way, and
so does a request that holds anything but plain JSON. Errors are the vendor's classes either way.
"""

from __future__ import annotations

from typing import Any
from urllib.request import getproxies

import aiohttp
import httpx2
import orjson
from anthropic import APIConnectionError, APITimeoutError, AsyncAnthropic, NotGiven, Omit, Timeout
from anthropic._models import construct_type

_PATH = "/v1/messages"
_CONNECTIONS = 1_000


class ClaudeClient(AsyncAnthropic):
    """An AsyncAnthropic; see `post`."""

    _session: aiohttp.ClientSession | None = None
    _fixed_headers: dict[str, str] | None = None

    async def post(
        self, path: str, *, cast_to: Any, body: Any = None, options: Any = None, **rest: Any
    ) -> Any:
        """Send a Messages request the short way, everything else the vendor's way."""
        options = options or {}
        plain = None
        if path == _PATH and not rest.get("stream") and not rest.get("files") and self._may_shorten(options):
            plain = _to_json(body)
        if plain is None:
            return await super().post(path, cast_to=cast_to, body=body, options=options, **rest)
        url = f"{str(self.base_url).rstrip('/')}{path}"
        for number, (name, value) in enumerate((options.get("qualifiers") or {}).items()):
            url += f"{'&' if number else '?'}{name}={value}"
        status, headers, raw = await self._send(url, plain, self._headers(options), self._limit_of(options))
        if status >= 400:
            response = httpx2.Response(
                status, headers=list(headers.items()), content=raw, request=httpx2.Request("POST", url)
            )
            raise self._make_status_error_from_response(response)
        return construct_type(type_=cast_to, value=orjson.loads(raw))

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
        await super().close()

    def _may_shorten(self, options: Any) -> bool:
        return not (
            options.get("extra_json")
            or options.get("params")
            or self.custom_auth is not None
            or self.max_retries
        )

    async def _send(
        self, url: str, content: bytes, headers: dict[str, str], limit: aiohttp.ClientTimeout
    ) -> tuple[int, Any, bytes]:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=_CONNECTIONS)
            self._session = aiohttp.ClientSession(connector=connector, trust_env=bool(getproxies()))
        request = httpx2.Request("POST", url)
        try:
            async with self._session.post(url, data=content, headers=headers, timeout=limit) as answer:
                return answer.status, answer.headers, await answer.read()
        except TimeoutError as error:
            raise APITimeoutError(request=request) from error
        except (aiohttp.ClientError, OSError) as error:
            raise APIConnectionError(request=request) from error

    def _headers(self, options: Any) -> dict[str, str]:
        if self._fixed_headers is None:
            self._fixed_headers = _present(self.default_headers) | {"Content-Type": "application/json"}
        given = options.get("headers")
        return self._fixed_headers if not given else self._fixed_headers | _present(given)

    def _limit_of(self, options: Any) -> aiohttp.ClientTimeout:
        given = options.get("timeout", self.timeout)
        limit = self.timeout if isinstance(given, NotGiven) else given
        if isinstance(limit, Timeout):
            return aiohttp.ClientTimeout(total=None, sock_connect=limit.connect, sock_read=limit.read)
        return aiohttp.ClientTimeout(total=limit if isinstance(limit, (int, float)) else None)


def _present(headers: Any) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not isinstance(value, (Omit, NotGiven))}


def _to_json(body: Any) -> bytes | None:
    """Return the body without fields that are left out, or None when it holds more than plain JSON."""
    if not isinstance(body, dict):
        return None
    try:
        return orjson.dumps({k: v for k, v in body.items() if not isinstance(v, (Omit, NotGiven))})
    except TypeError:
        return None
