"""How commands reach Tercet: the server of the data folder if one runs, else the same API in this process."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tercet.domain.errors import InvalidInput, OperatorError

if TYPE_CHECKING:
    import httpx

    from tercet.settings import Settings

T = TypeVar("T")


class Refused(InvalidInput):
    """The API answered with an error; its words and its hint."""


class Api:
    """A thin client of the HTTP API."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: dict[str, Any] | None = None,
        content: bytes | None = None,
    ) -> Any:
        """Return the answer's JSON. Raises Refused with the server's words."""
        import httpx

        wanted = {name: value for name, value in (params or {}).items() if value is not None}
        try:
            answer = await self._http.request(
                method, f"/api/v1{path}", json=body, params=wanted, content=content
            )
        except httpx.HTTPError as error:
            raise OperatorError(
                f"the server does not answer: {type(error).__name__}", hint="is it running?"
            ) from error
        if answer.status_code >= 400:
            try:
                error_body = answer.json()
            except ValueError:
                raise OperatorError(f"the server answered {answer.status_code}") from None
            raise Refused(
                error_body.get("error", "refused"),
                hint=error_body.get("hint"),
                detail=error_body.get("detail", ()),
            )
        return (
            answer.json()
            if answer.content and "json" in answer.headers.get("content-type", "")
            else answer.text
        )


@asynccontextmanager
async def open_api(settings: Settings) -> AsyncIterator[Api]:
    """Connect to the running server of the data folder, or serve the API in this process without running tasks."""
    import httpx

    address = running_server(settings.data_dir)
    if address is not None:
        token = (settings.data_dir / "admin-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as http:
            yield Api(http)
        return
    from tercet.web.app import create_app
    from tercet.wiring import open_tercet

    async with open_tercet(settings, run_tasks=False) as node:
        transport = httpx.ASGITransport(app=create_app(node))
        headers = {"Authorization": f"Bearer {node.admin_token}"}
        async with httpx.AsyncClient(base_url="http://tercet", transport=transport, headers=headers) as http:
            yield Api(http)


def running_server(data_dir: Path) -> str | None:
    """Return the address of the server that owns the data folder, or None."""
    try:
        noted = json.loads((data_dir / "server.json").read_bytes())
        os.kill(noted["pid"], 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(noted["address"])


def with_api(data_dir: Path | None, use: Callable[[Api], Awaitable[T]]) -> T:
    """Run `use` with an API client to its end."""
    import asyncio

    from tercet.settings import load_settings

    async def go() -> T:
        async with open_api(load_settings(data_dir=data_dir)) as api:
            return await use(api)

    return asyncio.run(go())
