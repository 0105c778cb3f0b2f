"""A file is one idea, a function fits on a screen."""

from __future__ import annotations

import ast
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50

ALLOWED_FILES: dict[str, int] = {}
"""Path → lines. May only shrink: an entry that is larger than its file fails too."""

ALLOWED_FUNCTIONS: dict[str, int] = {}
"""`path:name` → lines. May only shrink."""


def oversized(measured: dict[str, int], *, limit: int, allowed: dict[str, int]) -> list[str]:
    """What is longer than the limit and its allowance, and allowances that are larger than needed."""
    too_long = [
        f"{name} has {lines} lines, at most {allowed.get(name, limit)}"
        for name, lines in measured.items()
        if lines > allowed.get(name, limit)
    ]
    too_generous = [
        f"{name} may have {lines} lines and has {measured.get(name, 0)}: lower or drop the allowance"
        for name, lines in allowed.items()
        if measured.get(name, 0) < lines or lines <= limit
    ]
    return too_long + too_generous


def function_lines(source: str) -> dict[str, int]:
    """Lines of each function, from `def` to its last line; of two with one name, the longer."""
    lines: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            lines[node.name] = max(length, lines.get(node.name, 0))
    return lines


def test_files_have_at_most_400_lines(root: Path, python_files: list[Path]):
    measured = {
        path.relative_to(root).as_posix(): len(path.read_text("utf-8").splitlines()) for path in python_files
    }

    assert measured
    assert not oversized(measured, limit=MAX_FILE_LINES, allowed=ALLOWED_FILES)


def test_functions_have_at_most_50_lines(root: Path, python_files: list[Path]):
    measured = {
        f"{path.relative_to(root).as_posix()}:{name}": lines
        for path in python_files
        if "migrations/versions" not in path.as_posix()  # a migration is a record of tables, written once
        for name, lines in function_lines(path.read_text("utf-8")).items()
    }

    assert measured
    assert not oversized(measured, limit=MAX_FUNCTION_LINES, allowed=ALLOWED_FUNCTIONS)


def test_oversized_reports_a_file_when_it_passes_the_limit():
    assert oversized({"a.py": 401, "b.py": 400}, limit=400, allowed={}) == ["a.py has 401 lines, at most 400"]


def test_oversized_reports_an_allowance_when_the_file_has_shrunk():
    found = oversized({"a.py": 410}, limit=400, allowed={"a.py": 420})

    assert found == ["a.py may have 420 lines and has 410: lower or drop the allowance"]
