"""What `tercet serve` does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Generator
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from tercet.cli.logs import configure_logging
from tercet.domain.codec import to_json
from tercet.domain.errors import InvalidSettings
from tercet.flows.handlers import HandlerTable
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.manifest.checks import open_manifest
from tercet.settings import Settings, load_settings
from tercet.web.app import create_app
from tercet.wiring import Tercet, open_tercet, settle_memory

_GRACE_SECONDS = 10
_LARGEST_SOCKET_MESSAGE = 65_536
"""Streams only send; what readers say is dropped."""


class _Server(uvicorn.Server):
    """Leaves signals to `_serve`: the node has to stop after the last request and before the process ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def serve(options: dict[str, Any], manifests: list[Path]) -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = load_settings(**options)
    configure_logging(settings.log_level, phone_region=settings.phone_region)
    import uvloop

    uvloop.run(_serve(settings, manifests))


def serve_with_reload(options: dict[str, Any], manifests: list[Path]) -> None:
    """Serve in a child process that is restarted when a source file changes."""
    from uvicorn.supervisors import ChangeReload

    config = uvicorn.Config(
        "tercet.web.app:create_app", reload=True, reload_dirs=[str(Path(__file__).parents[1])]
    )
    ChangeReload(config, target=partial(_reload_target, options, manifests), sockets=[]).run()


def _reload_target(options: dict[str, Any], manifests: list[Path], sockets: list[socket.socket]) -> None:
    serve(options, manifests)


async def _serve(settings: Settings, manifests: list[Path]) -> None:
    loaded = [open_manifest(path) for path in manifests]
    handlers = HandlerTable()
    for manifest in loaded:
        handlers.import_all(manifest)
    listener = _listen(settings)
    host, port = listener.getsockname()[:2]
    address = f"http://{host}:{port}"
    async with open_tercet(settings, handlers=handlers) as node:
        for manifest in loaded:
            await node.catalog.deploy(node.engine, manifest, owner_id=DEFAULT_OWNER)
        server = _make_server(node, settings)
        loop = asyncio.get_running_loop()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, _stop, server, node)
        serving = await _begin(server, listener)
        settle_memory()
        note = settings.data_dir / "server.json"
        note.write_text(to_json({"address": address, "pid": os.getpid()}))
        try:
            print(f"Tercet is listening on {address}", flush=True)
            if node.models.note:
                print(node.models.note, flush=True)
            await serving
        finally:
            note.unlink(missing_ok=True)


def _stop(server: _Server, node: Tercet) -> None:
    server.should_exit = True
    node.wind_down()


def _make_server(node: Tercet, settings: Settings) -> _Server:
    app = create_app(node, max_body_bytes=settings.max_body_bytes)
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", access_log=False, timeout_graceful_shutdown=_GRACE_SECONDS,
        ws="websockets-sansio", ws_max_size=_LARGEST_SOCKET_MESSAGE,
    )  # fmt: skip
    return _Server(config)


async def _begin(server: _Server, listener: socket.socket) -> asyncio.Task[None]:
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():  # noqa: ASYNC110 uvicorn has no event for it
        await asyncio.sleep(0.01)
    return serving


@contextlib.asynccontextmanager
async def serve_beside(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    """Run a node for one command, on a free local port; yield (address, token)."""
    listener = socket.create_server(("127.0.0.1", 0))
    async with open_tercet(settings) as node:
        server = _make_server(node, settings)
        serving = await _begin(server, listener)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", node.admin_token
        finally:
            server.should_exit = True
            await serving


def _listen(settings: Settings) -> socket.socket:
    try:
        return socket.create_server((settings.host, settings.port), backlog=2_048)
    except OSError as error:
        raise InvalidSettings(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}",
            hint="choose another --port or --host",
        ) from error
