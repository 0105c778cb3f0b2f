"""What `tercet serve` does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator
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
from tercet.web.serving import Server, begin, make_server, serving
from tercet.wiring import Tercet, open_tercet, settle_memory

_GRACE_SECONDS = 10


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
        app = create_app(node, max_body_bytes=settings.max_body_bytes)
        server = make_server(app, grace_seconds=_GRACE_SECONDS)
        loop = asyncio.get_running_loop()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, _stop, server, node)
        running = await begin(server, listener)
        settle_memory()
        note = settings.data_dir / "server.json"
        note.write_text(to_json({"address": address, "pid": os.getpid()}))
        try:
            print(f"Tercet is listening on {address}", flush=True)
            if node.models.note:
                print(node.models.note, flush=True)
            await running
        finally:
            note.unlink(missing_ok=True)


def _stop(server: Server, node: Tercet) -> None:
    server.should_exit = True
    node.wind_down()


@contextlib.asynccontextmanager
async def serve_beside(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    """Run a node for one command, on a free local port; yield (address, token)."""
    async with open_tercet(settings) as node:
        app = create_app(node, max_body_bytes=settings.max_body_bytes)
        async with serving(app, grace_seconds=_GRACE_SECONDS) as address:
            yield address, node.admin_token


def _listen(settings: Settings) -> socket.socket:
    try:
        return socket.create_server((settings.host, settings.port), backlog=2_048)
    except OSError as error:
        raise InvalidSettings(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}",
            hint="choose another --port or --host",
        ) from error
