"""The reference names everything that the program has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from tercet.cli.app import app
from tercet.domain.contract import ErrorCode
from tercet.manifest.checks import RULES, open_text
from tercet.web.app import create_app

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
_NEED_A_FOLDER = {"missing-instructions", "handler-not-allowed"}


def reference(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def test_every_route_is_documented():
    text = reference("http-api.md")
    routes = {
        f"{method.upper()} {path}"
        for path, methods in create_app().openapi()["paths"].items()
        for method in methods
    }

    assert {route for route in routes if route not in text} == set()


def commands(command: click.Command, path: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, f"{path} {name}")
    else:
        yield path


def test_every_command_is_documented():
    text = reference("cli.md")
    group = typer.main.get_command(app)

    missing = [
        path for path in commands(group, "tercet")  # type: ignore[arg-type]
        if path not in text and f"`{path.rsplit(' ', 1)[1]}`" not in text
    ]  # fmt: skip

    assert missing == []


def test_every_rule_of_the_manifest_check_is_documented():
    text = reference("manifest.md")

    assert [rule.name for rule in RULES if f"| `{rule.name}` | {rule.explanation} |" not in text] == []


def test_every_event_type_is_documented():
    text = reference("events.md")
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    types = set(re.findall(r'\.log\(\s*"([a-z_]+)"', source))

    assert len(types) > 15
    assert {name for name in types if f"`{name}`" not in text} == set()


def test_every_error_code_is_documented():
    text = reference("error-codes.md")

    assert [code for code in ErrorCode if f"| `{code}` |" not in text] == []


def manifests_in_docs() -> list[tuple[str, str]]:
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for block in re.findall(r"```yaml\n(name:.*?)```", path.read_text("utf-8"), re.DOTALL):
            found.append((str(path.relative_to(ROOT)), block))
    return found


@pytest.mark.parametrize(("path", "text"), manifests_in_docs())
def test_every_manifest_in_the_docs_is_without_errors(path, text):
    problems = [
        problem for problem in open_text(text, source=path).errors if problem.rule not in _NEED_A_FOLDER
    ]

    assert problems == []
