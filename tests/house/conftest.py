"""What the house rules read: the files of the project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def project_files() -> list[Path]:
    """Every file that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return sorted({path for path in paths if path.is_file()})


@pytest.fixture(scope="session")
def python_files(project_files: list[Path]) -> list[Path]:
    """The Python files that the rules on size and names hold for."""
    held = {"src", "tests", "examples", "benchmarks"}
    return [
        path for path in project_files if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in held
    ]
