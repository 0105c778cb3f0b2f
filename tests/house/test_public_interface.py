"""What users import: few names, sorted, all there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import tercet

_MAX_NAMES = 40


def test_public_names_are_sorted_and_few():
    assert tercet.__all__ == sorted(set(tercet.__all__))
    assert len(tercet.__all__) <= _MAX_NAMES


def test_public_names_can_be_imported():
    assert [name for name in tercet.__all__ if getattr(tercet, name, None) is None] == []
    assert set(tercet.__all__) <= set(dir(tercet))


def test_unknown_name_is_an_attribute_error():
    assert not hasattr(tercet, "no_such_name")


def test_version_is_the_one_of_the_package_and_the_changelog(root: Path):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    changelog = (root / "CHANGELOG.md").read_text("utf-8")

    assert tercet.__version__ == project["version"]
    assert re.search(rf"^## \[{re.escape(tercet.__version__)}\]", changelog, re.M)
