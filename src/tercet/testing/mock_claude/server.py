"""Runs the mock on a real port."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp

from tercet.testing.mock_claude.app import create_app
from tercet.testing.mock_claude.script import Script, load_script

_START_SECONDS = 20.0
_STOP_SECONDS = 5.0
_GRACE_SECONDS = 1


class ThreadedServer:
    """Serves an app from a thread of this process. Port 0 takes a free one. Raises OSError when the port is taken."""

    def __init__(self, app: ASGIApp, *, name: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self._name = name
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family)
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"
        config = uvicorn.Config(
            app, log_level="error", lifespan="off", ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    def start(self) -> Self:
        """Serve; return when ready."""
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise RuntimeError(f"the server {self._name} did not start")
            time.sleep(0.005)
        return self

    def stop(self) -> None:
        """Stop serving; answers that are still delayed are dropped. A second call does nothing."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=_STOP_SECONDS)
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class MockClaude(ThreadedServer):
    """`with MockClaude() as mock:` serves on `mock.base_url`."""

    def __init__(self, script: Script | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__(create_app(script), name="mock-claude", host=host, port=port)


def run_blocking(*, port: int, host: str = "127.0.0.1", script_path: Path | None = None) -> None:
    """Serve until interrupted; what `tercet mock-claude` does. Raises ValueError or OSError for a bad script."""
    script = load_script(script_path) if script_path is not None else None
    uvicorn.run(create_app(script), host=host, port=port, log_level="info")
