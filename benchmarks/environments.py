"""Environments of contestants: each with its own packages, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ENVIRONMENTS = Path(__file__).parent / ".environments"


def environment(*packages: str) -> str:
    """Return the interpreter of an environment with the packages; this one when there are none."""
    if not packages:
        return sys.executable
    folder = ENVIRONMENTS / packages[0].partition("[")[0]
    python = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        print(f"installing {', '.join(packages)} ...")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *packages], check=True
        )
        (folder / ".ready").touch()
    return str(python)
