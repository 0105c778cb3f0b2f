"""How commands reach Tercet: the server of the data folder if one runs, else the same API in this process."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from tercet.domain.errors import InvalidInput, OperatorError

if TYPE_CHECKING:
    import httpx

    from tercet.settings import Settings

T = TypeVar("T")
_TIMEOUT_SECONDS = 60.0


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
        timeout_seconds: float = _TIMEOUT_SECONDS,
    ) -> Any:
        """Return the answer's JSON. Raises Refused with the server's words."""
        import httpx

        wanted = {name: value for name, value in (params or {}).items() if value is not None}
        try:
            answer = await self._http.request(
                method,
                f"/api/v1{path}",
                json=body,
                params=wanted,
                content=content,
                timeout=timeout_seconds,
            )
        except httpx.HTTPError as error:
            raise _unanswered(error) from error
        if answer.status_code >= 400:
            raise _refusal(answer)
        return (
            answer.json()
            if answer.content and "json" in answer.headers.get("content-type", "")
            else answer.text
        )

    async def download(
        self, path: str, to: Path, *, params: dict[str, Any], timeout_seconds: float = _TIMEOUT_SECONDS
    ) -> int:
        """Write an answer into a file that only its owner reads; return its size in bytes. Raises Refused."""
        import httpx

        wanted = {name: value for name, value in params.items() if value is not None}
        part = to.with_name(f"{to.name}.part")
        try:
            async with self._http.stream(
                "GET", f"/api/v1{path}", params=wanted, timeout=timeout_seconds
            ) as answer:
                if answer.status_code >= 400:
                    await answer.aread()
                    raise _refusal(answer)
                size_bytes = await _receive(answer, part)
            part.replace(to)
        except httpx.HTTPError as error:
            raise _unanswered(error) from error
        except OSError as error:
            raise InvalidInput(f"cannot write {to}: {error.strerror}", hint="choose another place") from error
        return size_bytes


async def _receive(answer: httpx.Response, path: Path) -> int:
    with _private_file(path) as file:
        async for piece in answer.aiter_bytes():
            file.write(piece)
        return file.tell()


def _private_file(path: Path) -> IO[bytes]:
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _unanswered(error: httpx.HTTPError) -> OperatorError:
    return OperatorError(f"the server does not answer: {type(error).__name__}", hint="is it running?")


def _refusal(answer: httpx.Response) -> OperatorError | Refused:
    try:
        said = answer.json()
    except ValueError:
        return OperatorError(f"the server answered {answer.status_code}")
    return Refused(said.get("error", "refused"), hint=said.get("hint"), detail=said.get("detail", ()))


@asynccontextmanager
async def open_api(settings: Settings) -> AsyncIterator[Api]:
    """Connect to the running server of the data folder, or serve the API in this process without running tasks."""
    import httpx

    address = running_server(settings.data_dir)
    if address is not None:
        token = (settings.data_dir / "admin-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=address, headers=headers) as http:
            yield Api(http)
        return
    from tercet.cli.logs import configure_logging
    from tercet.web.app import create_app
    from tercet.wiring import open_tercet

    # Logs belong on stderr: what a command prints on stdout may be read by a program.
    configure_logging("WARNING")

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
