"""Unit tests open no connections."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest


class ConnectionInUnitTest(Exception):
    """A unit test opened a connection. No OSError, so that no code under test takes it for a network fault."""


def _refuse(_socket: socket.socket, address: object) -> NoReturn:
    raise ConnectionInUnitTest(f"connect({address!r}): move the test to tests/integration, or use a double")


# By module, not by test: property tests refuse fixtures that are made anew for each function.
@pytest.fixture(autouse=True, scope="module")
def _no_connections() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _refuse)
        patch.setattr(socket.socket, "connect_ex", _refuse)
        yield
