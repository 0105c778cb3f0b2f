"""Requests to the outside that cannot be turned inward: resolve, check every address, connect to a checked one."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import httpx

from tercet.tools.addresses import Network, Target, check_address, check_url

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""(host, port) → addresses."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key"})
_CONNECT_SECONDS = 10.0


class TooManyRedirects(Exception):
    """The server redirects further than allowed."""


class TooMuchData(Exception):
    """The answer is larger than allowed."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What may be reached. Empty `allowed_domains` means every public host."""

    allowed_domains: Collection[str] = ()
    allowed_networks: Sequence[Network] = ()
    """Networks that are allowed although they are not public."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    url: str
    headers: httpx.Headers
    body: bytes
    redirects: int


async def resolve(host: str, port: int) -> list[str]:
    """Ask the system's resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def checked_address(target: Target, reach: Reach, resolver: Resolve) -> str:
    """Return an address to connect to; one address that is not allowed refuses the host. Raises RefusedAddress, OSError."""
    addresses = await resolver(target.host, target.port)
    if not addresses:
        raise OSError(f"the host {target.host!r} has no address")
    checked = [check_address(address, allowed_networks=reach.allowed_networks) for address in addresses]
    return checked[0]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request with its limits."""

    method: str
    url: str
    headers: Mapping[str, str]
    params: Mapping[str, Any] | None = None
    content: bytes | None = None
    timeout_seconds: float = 30.0
    max_bytes: int = 1_000_000
    max_redirects: int = 5
    verify_ssl: bool = True
    tls: ssl.SSLContext | None = None
    """Whom to trust; None means the public authorities."""


async def send(request: Request, reach: Reach, *, resolver: Resolve = resolve) -> Answer:
    """Send it; follow redirects up to `max_redirects`, each checked like the first.

    Raises RefusedAddress, TooManyRedirects, TooMuchData, httpx.HTTPError, OSError, TimeoutError.
    """
    async with (
        asyncio.timeout(request.timeout_seconds),
        httpx.AsyncClient(
            verify=(request.tls or True) if request.verify_ssl else False,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(
                request.timeout_seconds, connect=min(_CONNECT_SECONDS, request.timeout_seconds)
            ),
        ) as client,
    ):
        return await _follow(client, request, reach, resolver)


async def _follow(client: httpx.AsyncClient, request: Request, reach: Reach, resolver: Resolve) -> Answer:
    url = str(httpx.URL(request.url).copy_merge_params(request.params)) if request.params else request.url
    method, content, headers = request.method, request.content, dict(request.headers)
    for redirects in range(request.max_redirects + 1):
        target = check_url(url, allowed_domains=reach.allowed_domains)
        address = await checked_address(target, reach, resolver)
        answer = await _once(
            client, method, url, target, address, headers, content, request.max_bytes, redirects
        )
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or location is None or request.max_redirects == 0:
            return answer
        url = urljoin(url, location)
        if answer.status == 303 or (answer.status in (301, 302) and method == "POST"):
            method, content = ("HEAD" if method == "HEAD" else "GET"), None
            headers = {
                k: v for k, v in headers.items() if k.lower() not in ("content-type", "content-length")
            }
        if check_url(url).host != target.host:
            headers = {k: v for k, v in headers.items() if k.lower() not in _CREDENTIALS}
    raise TooManyRedirects(f"more than {request.max_redirects} redirects")


async def _once(
    client: httpx.AsyncClient, method: str, url: str, target: Target, address: str,
    headers: dict[str, str], content: bytes | None, max_bytes: int, redirects: int,
) -> Answer:  # fmt: skip
    # The connection goes to the checked address; name and certificate stay those of the host.
    parsed = httpx.URL(url)
    pinned = parsed.copy_with(host=address)
    sent = {k: v for k, v in headers.items() if k.lower() != "host"}
    sent["Host"] = parsed.netloc.decode("ascii")
    request = client.build_request(
        method, pinned, headers=sent, content=content, extensions={"sni_hostname": target.host}
    )
    response = await client.send(request, stream=True)
    try:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > max_bytes:
                raise TooMuchData(f"the answer is larger than {max_bytes} bytes")
    finally:
        await response.aclose()
    return Answer(
        status=response.status_code, url=url, headers=response.headers, body=bytes(body), redirects=redirects
    )
