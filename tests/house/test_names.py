"""The folder names the domain, the file names the idea."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_HOMELESS = re.compile(r"^_?(?:.*_)?(?:utils?|helpers?|common|managers?|misc)$")


def is_homeless(name: str) -> bool:
    """Whether a module or folder name says that its contents have no home yet."""
    return _HOMELESS.match(name) is not None


def has_code(source: str) -> bool:
    """Whether a module has anything beside its docstring."""
    return any(not isinstance(node, ast.Expr) for node in ast.parse(source).body)


def test_modules_are_named_after_an_idea(root: Path, python_files: list[Path]):
    parts = {
        (path.relative_to(root).as_posix(), part)
        for path in python_files
        for part in path.relative_to(root).with_suffix("").parts
    }

    assert parts
    assert sorted(path for path, part in parts if is_homeless(part)) == []


def test_is_homeless_finds_the_words_that_name_nothing():
    names = [
        "utils",
        "string_utils",
        "_helpers",
        "common",
        "TaskManager".lower(),
        "task_manager",
        "claim",
        "commons",
    ]

    assert [name for name in names if is_homeless(name)] == [
        "utils", "string_utils", "_helpers", "common", "task_manager",
    ]  # fmt: skip


def test_modules_start_with_the_future_annotations(root: Path, python_files: list[Path]):
    missing = [
        path.relative_to(root).as_posix()
        for path in python_files
        if has_code(text := path.read_text("utf-8")) and "from __future__ import annotations" not in text
    ]

    assert missing == []
