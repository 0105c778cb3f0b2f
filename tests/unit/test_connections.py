"""The guard of tests/unit/conftest.py."""

from __future__ import annotations

import asyncio
import socket

import pytest


def test_socket_refuses_to_connect_in_unit_tests():
    with socket.socket() as client, pytest.raises(Exception, match="move the test to tests/integration"):
        client.connect(("127.0.0.1", 9))


async def test_event_loop_refuses_to_connect_in_unit_tests():
    with pytest.raises(Exception, match="move the test to tests/integration"):
        await asyncio.open_connection("127.0.0.1", 9)


async def test_event_loop_wakes_from_another_thread_without_connections():
    answer = await asyncio.to_thread(lambda: 42)

    assert answer == 42
