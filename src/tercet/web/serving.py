"""An app behind uvicorn, in the process of whoever asks: the server command, single commands, examples, tests."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

_LARGEST_SOCKET_MESSAGE = 65_536
"""Streams only send; what readers say is dropped."""


class Server(uvicorn.Server):
    """Leaves signals to the program around it: the node has to stop after the last request and before the process ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def make_server(app: ASGIApp, *, grace_seconds: int) -> Server:
    """Return a server that, when it is told to stop, gives open requests so long."""
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", access_log=False, timeout_graceful_shutdown=grace_seconds,
        ws="websockets-sansio", ws_max_size=_LARGEST_SOCKET_MESSAGE,
    )  # fmt: skip
    return Server(config)


async def begin(server: Server, listener: socket.socket) -> asyncio.Task[None]:
    """Start the server; return, once it takes requests, what ends with it."""
    running = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not running.done():  # noqa: ASYNC110 uvicorn has no event for it
        await asyncio.sleep(0.005)
    return running


@asynccontextmanager
async def serving(app: ASGIApp, *, port: int = 0, grace_seconds: int = 2) -> AsyncIterator[str]:
    """Serve an app (`create_app(node)`) on the loopback interface and yield its address. 0 chooses a free port."""
    listener = socket.create_server(("127.0.0.1", port))
    server = make_server(app, grace_seconds=grace_seconds)
    running = await begin(server, listener)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
