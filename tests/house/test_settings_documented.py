"""Every setting is documented, and nothing is documented that is no setting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tercet.settings import Settings

_NAME = re.compile(r"\bTERCET_[A-Z0-9_]+\b")
_PAGES = (".env.example", "docs/reference/settings.md")

# Written by users, one for each webhook of a manifest.
_USER_PREFIX = "TERCET_HOOK_"


def settings_names() -> set[str]:
    """The environment variable of each setting."""
    return {f"TERCET_{name.upper()}" for name in Settings.model_fields}


@pytest.mark.parametrize("page", _PAGES)
def test_settings_are_documented(root: Path, page: str):
    documented = set(_NAME.findall((root / page).read_text("utf-8")))

    assert settings_names()
    assert sorted(settings_names() - documented) == []


@pytest.mark.parametrize("page", _PAGES)
def test_documented_settings_exist(root: Path, page: str):
    documented = set(_NAME.findall((root / page).read_text("utf-8")))

    assert sorted(name for name in documented - settings_names() if not name.startswith(_USER_PREFIX)) == []
