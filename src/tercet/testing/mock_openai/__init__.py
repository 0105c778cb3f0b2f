"""A mock of OpenAI's chat completions, as `local:` and OpenAI models speak it; it answers as the mock Claude does."""

from __future__ import annotations

from tercet.testing.mock_openai.app import create_app
from tercet.testing.mock_openai.server import MockOpenAI

__all__ = ["MockOpenAI", "create_app"]
