"""The HTTP API in this process, over a real node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.domain.errors import NonRetryable
from tercet.flows.handlers import HandlerTable
from tercet.settings import Settings
from tercet.web.app import create_app
from tercet.wiring import Tercet, open_tercet

MANIFEST = """
name: shop
events:
  - name: order.placed
    schema: {type: object, properties: {order_id: {type: string}, fail: {type: boolean}}, required: [order_id]}
  - {name: order.checked}
  - {name: order.approved}
  - {name: order.rejected, description: final}
  - {name: order.shipped, description: final}
  - {name: hook.done, description: final}
functions:
  - {name: check, trigger: {event: order.placed}, handler: "shop:check", emits: [{event: order.checked, carry: true}]}
  - {name: ship, trigger: {event: order.approved}, requires_approval: review, handler: "shop:ship", emits: [order.shipped]}
  - name: pay
    pattern: webhook
    trigger: {webhook: pay, secret_env: TERCET_HOOK_PAY}
    handler: shop:hook
    emits: [hook.done]
  - {name: open, pattern: webhook, trigger: {webhook: open/door}, handler: "shop:hook", emits: [hook.done]}
humans:
  - name: review
    trigger: {event: order.checked}
    editable: [note]
    timeout: 1d
    emits: [{event: order.approved, carry: true}, {event: order.rejected, on: reject}, {event: order.rejected, on: timeout}]
"""


async def check(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    if event["data"].get("fail"):
        raise NonRetryable("out of stock")
    return {"note": "checked"}


async def ship(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {"note": event["data"]["note"]}


async def hook(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {"body": event["data"]["body"]}


@dataclass(kw_only=True)
class Api:
    """A client with the owner's token, and the node behind it."""

    node: Tercet
    http: httpx.AsyncClient

    async def call(self, method: str, path: str, *, status: int = 200, **options: Any) -> Any:
        """Call and check the status; return the JSON."""
        answer = await self.http.request(method, path, **options)
        assert answer.status_code == status, f"{answer.status_code}: {answer.text[:500]}"
        return answer.json() if answer.content else None

    async def token(self, role: str, user: str = "someone") -> dict[str, str]:
        """Return headers with a new token of this role."""
        made = await self.call("POST", "/api/v1/tokens", status=201, json={"user": user, "role": role})
        return {"Authorization": f"Bearer {made['token']}"}

    async def place(self, **data: Any) -> str:
        """Place an order and work until idle; return the execution's id."""
        body = {"name": "order.placed", "data": {"order_id": "o1", **data}}
        receipt = await self.call("POST", "/api/v1/events", status=201, json=body)
        await self.idle()
        return str(receipt["execution_id"])

    async def idle(self) -> None:
        await self.node.engine.wait_idle()

    async def count(self) -> int:
        """Return how many executions there are."""
        return len((await self.call("GET", "/api/v1/executions?limit=500"))["items"])


@pytest.fixture
def with_api(tmp_path: Path) -> Callable[..., None]:
    """Run a coroutine with an Api; the shop's manifest is deployed. Further arguments are settings."""

    @asynccontextmanager
    async def opened(**options: Any) -> AsyncIterator[Api]:
        handlers = HandlerTable()
        for name, handler in (("check", check), ("ship", ship), ("hook", hook)):
            handlers.register(f"shop:{name}", handler)
        settings = Settings(_env_file=None, data_dir=tmp_path, **options)
        async with open_tercet(settings, handlers=handlers) as node:
            transport = httpx.ASGITransport(
                app=create_app(node, max_body_bytes=200_000), raise_app_exceptions=False
            )
            headers = {"Authorization": f"Bearer {node.admin_token}"}
            async with httpx.AsyncClient(transport=transport, base_url="http://t", headers=headers) as http:
                api = Api(node=node, http=http)
                await api.call("POST", "/api/v1/manifests", status=201, content=MANIFEST)
                yield api

    context: Callable[..., AbstractAsyncContextManager[Api]] = opened

    def run(use: Callable[[Api], Awaitable[None]], **options: Any) -> None:
        async def go() -> None:
            async with context(**options) as api:
                await use(api)

        asyncio.run(go())

    return run
