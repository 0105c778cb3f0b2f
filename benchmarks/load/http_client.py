"""A small HTTP/1.1 client for load: prepared requests over connections that stay open, one at a time on each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import orjson


def prepared(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    """Return the bytes of a request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class Connection:
    """One open connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> Connection:
        """Connect to a server on this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def send(self, request: bytes) -> tuple[int, bytes]:
        """Send a request; return (status, body)."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        lower = head.lower()
        at = lower.find(b"content-length:")
        length = int(lower[at + 15 : lower.index(b"\r\n", at)]) if at >= 0 else 0
        return status, await self._reader.readexactly(length) if length else b""

    async def call(self, method: str, path: str, token: str, value: object = None) -> dict[str, object]:
        """Send JSON; return the JSON that came. Raises RuntimeError for anything but 2xx."""
        body = b"" if value is None else value if isinstance(value, bytes) else orjson.dumps(value)
        status, answer = await self.send(prepared(method, path, token, body))
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
        return orjson.loads(answer) if answer else {}

    def close(self) -> None:
        self._writer.close()


async def flood(port: int, requests: Iterator[bytes], *, connections: int) -> tuple[int, float]:
    """Send all requests over so many connections; return (how many, seconds). Raises for anything but 2xx."""
    count = 0

    async def work(connection: Connection) -> None:
        nonlocal count
        for request in requests:
            status, body = await connection.send(request)
            if not 200 <= status < 300:
                raise RuntimeError(f"{status} {body[:300]!r}")
            count += 1

    opened = [await Connection.open(port) for _ in range(connections)]
    began = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in opened))
    seconds = time.perf_counter() - began
    for connection in opened:
        connection.close()
    return count, seconds
