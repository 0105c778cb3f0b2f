"""Flows under virtual time: a year of waiting takes milliseconds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tercet.harness import Flow, open_flow
from tercet.store.keys import open_keyring
from tercet.store.migrate import migrate
from tercet.store.sqlite import open_reader
from tercet.testing.log_check import differences
from tercet.testing.virtual_time import VirtualClock, VirtualTimeLoop

Opener = Callable[..., AbstractAsyncContextManager[Flow]]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with the schema, to copy: migrating takes longer than most tests."""
    path = tmp_path_factory.mktemp("template") / "tercet.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def flow(tmp_path: Path, migrated: Path) -> Opener:
    """Open a flow by its manifest and handlers; afterwards every log must fold to its rows."""
    shutil.copy(migrated, tmp_path / "tercet.db")

    @asynccontextmanager
    async def opened(
        manifest: str, *, start: str = "2026-01-01", **handlers: Callable[..., Any]
    ) -> AsyncIterator[Flow]:
        start_ms = int(datetime.fromisoformat(f"{start}T00:00:00+00:00").timestamp() * 1000)
        async with open_flow(
            tmp_path, manifest, handlers, clock=VirtualClock(start_ms), inline=True
        ) as running:
            yield running
        engine = open_reader(tmp_path / "tercet.db", open_keyring(tmp_path))
        with engine.connect() as connection:
            assert differences(connection) == []
        engine.dispose()

    return opened


@pytest.fixture
def virtual() -> Callable[[Coroutine[Any, Any, None]], None]:
    """Run a coroutine on a loop with virtual time."""

    def run(work: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(work)

    return run
