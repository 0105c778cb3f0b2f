"""An API on a free port of this machine, in this process: for examples and tests."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

_GRACE_SECONDS = 2


class _Server(uvicorn.Server):
    """Leaves signals to the program around it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def serving(app: ASGIApp, *, port: int = 0) -> AsyncIterator[str]:
    """Serve an app (`create_app(node)`) on the loopback interface and yield its address. 0 chooses a free port."""
    listener = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", access_log=False, timeout_graceful_shutdown=_GRACE_SECONDS
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not running.done():  # noqa: ASYNC110 uvicorn has no event for it
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
