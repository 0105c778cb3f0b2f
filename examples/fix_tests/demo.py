"""`python -m examples.fix_tests.demo`: a loop makes the failing tests of a folder pass.

It works on a copy of `broken/`. With an API key a real model does it, else the mock Claude plays `script.yaml`;
the files, the test runs and their isolation are real either way.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tercet.cli.loop_command import run_loop
from tercet.domain.errors import TercetError

HERE = Path(__file__).parent
OUTPUT = HERE / "output"
GOAL = (
    "Make the failing tests in this folder pass. Run them with `python -m unittest`; do not change the tests."
)


def main() -> int:
    """Copy the folder, run the loop, then run the tests ourselves: their exit code counts."""
    workspace = OUTPUT / "folder"
    shutil.rmtree(OUTPUT, ignore_errors=True)
    shutil.copytree(HERE / "broken", workspace, ignore=shutil.ignore_patterns("__pycache__"))
    os.environ.setdefault("TERCET_MOCK_SCRIPT", str(HERE / "script.yaml"))
    limits = {"max_iters": 10, "budget_usd": 1}
    try:
        asyncio.run(
            run_loop(
                GOAL, limits, workspace=workspace, approve="none", resume=None, data_dir=OUTPUT / "data", as_json=False
            )
        )  # fmt: skip
    except TercetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    tests = subprocess.run([sys.executable, "-m", "unittest"], cwd=workspace, check=False)  # our own folder
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
