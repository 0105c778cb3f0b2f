"""The checkout works on any machine: no package index and no folder of one machine is written into it."""

from __future__ import annotations

import re
from pathlib import Path

_ADDRESS = re.compile(
    r"://|--(?:extra-)?index(?:-url)?\b|--find-links\b|^\s*-[if]\b|\bfile:|pypi\.|pythonhosted", re.M
)

# Written in two parts, so that this file does not find itself.
_MACHINE_FOLDER = re.compile("(?<![\\w.}*])/" + r"(?:work|root|home/[\w-]+|Users/[\w-]+|opt/pypi)/")


def test_lock_names_no_package_index(root: Path):
    lock = (root / "requirements.lock").read_text("utf-8")

    assert "--hash=sha256:" in lock
    assert _ADDRESS.findall(lock) == []


def test_lock_has_hashes_for_every_package(root: Path):
    lines = (root / "requirements.lock").read_text("utf-8").replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]

    assert packages
    assert [line.split()[0] for line in packages if "==" not in line or "--hash=sha256:" not in line] == []


def test_files_name_no_folder_of_one_machine(root: Path, project_files: list[Path]):
    found = [
        f"{path.relative_to(root).as_posix()}: {match.group()}"
        for path in project_files
        for match in _MACHINE_FOLDER.finditer(path.read_bytes().decode("utf-8", "replace"))
    ]

    assert found == []


def test_machine_folder_pattern_finds_a_folder_and_no_route():
    assert _MACHINE_FOLDER.search('open("/' + 'work/data.csv")')
    assert _MACHINE_FOLDER.search("/" + "home/ada/tercet")
    assert not _MACHINE_FOLDER.search("GET /api/agent/work/next")
    assert not _MACHINE_FOLDER.search("/homepage/")
