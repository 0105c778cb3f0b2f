"""Results of side-effect-free tools, kept for a while: by owner, tool, version and canonical arguments."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from cachetools import TLRUCache

from tercet.domain.codec import digest

if TYPE_CHECKING:
    from redis.asyncio import Redis

_PREFIX = "tercet:tool-result"


def cache_key(*, owner_id: str, tool: str, version: str, arguments: dict[str, Any]) -> str:
    """Return the key; equal arguments give the same one in whatever order their fields stand."""
    return f"{_PREFIX}:{digest(owner_id)[:16]}:{tool}:{digest([version, arguments])}"


class ResultCache(Protocol):
    """Where results are kept."""

    async def get(self, key: str) -> str | None:
        """Return the result as JSON, or None."""
        ...

    async def put(self, key: str, text: str, *, ttl_seconds: float) -> None:
        """Keep a result."""
        ...

    async def invalidate(self, *, tool: str) -> int:
        """Forget all results of a tool, of every owner; return how many."""
        ...


class MemoryResultCache:
    """In this process; the least recently used results go first."""

    def __init__(self, *, max_entries: int = 1_000, now: Callable[[], float] = time.monotonic) -> None:
        self._entries: TLRUCache[str, tuple[str, float]] = TLRUCache(
            max_entries, ttu=lambda _key, entry, at: at + entry[1], timer=now
        )

    async def get(self, key: str) -> str | None:
        """See ResultCache."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    async def put(self, key: str, text: str, *, ttl_seconds: float) -> None:
        """See ResultCache."""
        self._entries[key] = (text, ttl_seconds)

    async def invalidate(self, *, tool: str) -> int:
        """See ResultCache."""
        found = [key for key in self._entries if key.split(":")[3] == tool]
        for key in found:
            self._entries.pop(key, None)
        return len(found)


class RedisResultCache:
    """In Redis, for several nodes; needs the extra `tercet[redis]`. An unreachable server is an empty cache."""

    def __init__(self, url: str) -> None:
        from redis.asyncio import Redis

        self._redis: Redis = Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1)

    async def get(self, key: str) -> str | None:
        """See ResultCache."""
        from redis.exceptions import RedisError

        try:
            value = await self._redis.get(key)
        except RedisError:
            return None
        return value.decode() if isinstance(value, bytes) else value

    async def put(self, key: str, text: str, *, ttl_seconds: float) -> None:
        """See ResultCache."""
        from redis.exceptions import RedisError

        try:
            await self._redis.set(key, text, px=max(1, int(ttl_seconds * 1000)))
        except RedisError:
            return

    async def invalidate(self, *, tool: str) -> int:
        """See ResultCache. Raises RedisError: a forgotten invalidation must not pass unseen."""
        keys = [key async for key in self._redis.scan_iter(match=f"{_PREFIX}:*:{tool}:*", count=500)]
        return int(await self._redis.delete(*keys)) if keys else 0

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
