"""Runs the mock on a real port."""

from __future__ import annotations

from tercet.testing.mock_claude.script import Script
from tercet.testing.mock_claude.server import ThreadedServer
from tercet.testing.mock_openai.app import create_app


class MockOpenAI(ThreadedServer):
    """`with MockOpenAI() as mock:` serves on `mock.base_url`; clients want `mock.base_url + "/v1"`."""

    def __init__(self, script: Script | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__(create_app(script), name="mock-openai", host=host, port=port)
