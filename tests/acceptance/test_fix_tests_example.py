"""The example loop makes the failing tests of a folder pass, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tercet.tools.isolation import find_isolation

ROOT = Path(__file__).parents[2]
_WAY = asyncio.run(find_isolation())


@pytest.mark.skipif(isinstance(_WAY, str), reason=f"THIS MACHINE CANNOT ISOLATE COMMANDS: {_WAY}")
def test_the_loop_makes_the_failing_tests_pass():
    keys = ("TERCET_", "ANTHROPIC_", "OPENAI_")
    done = subprocess.run(
        [sys.executable, "-m", "examples.fix_tests.demo"],
        check=False, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        env={name: value for name, value in os.environ.items() if not name.startswith(keys)},
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "finished: the goal is reached" in done.stdout
    assert "4 executor  failed: I divided the percentage by 100" in done.stdout
    assert "OK" in done.stderr
    assert "mock Claude answers" in done.stdout
