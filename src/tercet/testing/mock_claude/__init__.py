"""A server that speaks Claude's Messages API, deterministic and without cost (docs/reference/mock-claude.md)."""

from __future__ import annotations

from tercet.testing.mock_claude.app import create_app
from tercet.testing.mock_claude.script import Script, load_script
from tercet.testing.mock_claude.server import MockClaude, run_blocking

__all__ = ["MockClaude", "Script", "create_app", "load_script", "run_blocking"]
