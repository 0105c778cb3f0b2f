"""The result cache in Redis: the real client against a server in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from fakeredis import TcpFakeServer
from redis.exceptions import RedisError

from tercet.tools.result_cache import RedisResultCache, cache_key


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = TcpFakeServer(("127.0.0.1", 0), server_type="redis")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"redis://127.0.0.1:{server.server_address[1]}/0"
    server.shutdown()
    server.server_close()
    thread.join()


def key(owner: str, tool: str = "probe") -> str:
    return cache_key(owner_id=owner, tool=tool, version="1", arguments={"a": 1})


async def test_results_are_kept_by_owner_and_forgotten_by_tool(url: str):
    cache = RedisResultCache(url)
    try:
        await cache.put(key("ada"), '{"n":1}', ttl_seconds=60)
        await cache.put(key("bob"), '{"n":2}', ttl_seconds=60)
        await cache.put(key("ada", "other"), '{"n":3}', ttl_seconds=60)

        assert (await cache.get(key("ada")), await cache.get(key("bob"))) == ('{"n":1}', '{"n":2}')
        assert await cache.invalidate(tool="probe") == 2
        assert (await cache.get(key("ada")), await cache.get(key("ada", "other"))) == (None, '{"n":3}')
    finally:
        await cache.aclose()


async def test_an_unreachable_redis_is_an_empty_cache_but_an_invalidation_says_so():
    cache = RedisResultCache("redis://127.0.0.1:1/0")
    try:
        await cache.put(key("ada"), "1", ttl_seconds=60)
        assert await cache.get(key("ada")) is None
        with pytest.raises(RedisError):
            await cache.invalidate(tool="probe")
    finally:
        await cache.aclose()
