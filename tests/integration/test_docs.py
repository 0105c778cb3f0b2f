"""The reference names everything that the program has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tercet.cli.app import app
from tercet.domain.contract import ErrorCode
from tercet.manifest.checks import RULES, open_text
from tercet.web.app import create_app

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
_NEED_A_FOLDER = {"missing-instructions", "handler-not-allowed", "agent-file"}


def reference(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_route_is_documented():
    text = reference("http-api.md")
    routes = {
        f"{method.upper()} {path}"
        for path, methods in create_app().openapi()["paths"].items()
        for method in methods
    }

    assert len(routes) > 20
    assert {route for route in routes if f"`{route}`" not in text} == set()


def test_every_documented_route_exists():
    described = create_app().openapi()["paths"]
    named = re.findall(r"`(GET|POST|PATCH|PUT|DELETE) (/[^`?]*)`", reference("http-api.md"))

    assert [
        f"{method} {path}" for method, path in named if method.lower() not in described.get(path, {})
    ] == []


def commands(command: Any, path: str = "tercet") -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, by its full name. Groups are told by what they hold: Typer
    brings its own copy of click, so that `isinstance` with the installed one finds none.
    """
    inner = getattr(command, "commands", None)
    if inner is None or (command.invoke_without_command and path != "tercet"):
        yield path, command
    if inner is None:
        return
    for name, part in inner.items():
        yield from commands(part, f"{path} {name}")


def rows_by_command() -> dict[str, str]:
    """The table rows of the page, by the command that starts them."""
    rows = re.findall(
        r"^\| `(tercet(?: [a-z][a-z-]*)+)(?: [A-Z][^`]*)?` \|(.*)\|$", reference("cli.md"), re.M
    )
    return dict(rows)


def test_every_command_is_documented_and_every_documented_command_exists():
    existing = {path for path, _ in commands(typer.main.get_command(app))}

    assert len(existing) > 20
    assert set(rows_by_command()) == existing


def test_every_option_is_documented_and_every_documented_option_exists():
    rows = rows_by_command()
    existing = {
        (path, name)
        for path, command in commands(typer.main.get_command(app))
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    }
    options = {path: row.split("|")[0] for path, row in rows.items()}
    documented = {
        (path, name) for path, cell in options.items() for name in re.findall(r"--[a-z]+(?:-[a-z]+)*", cell)
    }

    assert documented == existing


def test_every_command_in_the_docs_exists():
    existing = {path for path, _ in commands(typer.main.get_command(app))}
    groups = {path.rsplit(" ", 1)[0] for path in existing}
    unknown = []
    for page in pages():
        for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in re.findall(r"^(?:\.venv/bin/)?(tercet .*)$", block, re.M):
                words = line.split()
                long, short = " ".join(words[:3]), " ".join(words[:2])
                if long not in existing and (
                    short not in existing or (short in groups and words[2:3] and words[2][0] != "-")
                ):
                    unknown.append(f"{page.name}: {line}")

    assert unknown == []


def test_every_rule_of_the_manifest_check_is_documented():
    text = reference("manifest.md")

    assert [rule.name for rule in RULES if f"| `{rule.name}` | {rule.explanation} |" not in text] == []


def event_types() -> set[str]:
    """The types that the source logs: as first argument of `.log`, or through a name that holds them."""
    source = "".join(path.read_text("utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    direct = re.findall(r'\.log\(\s*"([a-z_]+)"(?: if [^,]* else "([a-z_]+)")?', source)
    direct += [(name, "") for name in re.findall(r'SubtaskStatus\.[A-Z]+,\s+"([a-z_]+)"', source)]
    passed_on = re.findall(r'(?:log_everywhere|_commit)\(\s*approval, "([a-z_]+)"', source)
    return {name for found in direct for name in found if name} | set(passed_on)


def test_every_event_type_is_documented_and_every_documented_one_exists():
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \| [^|]+ \| [^|]+ \|$", reference("events.md"), re.M)
    documented = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}

    assert len(event_types()) > 20
    assert documented == event_types()


def test_every_error_code_is_documented():
    text = reference("error-codes.md")

    assert [code for code in ErrorCode if f"| `{code}` |" not in text] == []


def manifests_in_docs() -> list[tuple[str, str]]:
    found = []
    for path in pages():
        for block in re.findall(r"```yaml\n(name:.*?)```", path.read_text("utf-8"), re.DOTALL):
            found.append((str(path.relative_to(ROOT)), block))
    return found


@pytest.mark.parametrize(("path", "text"), manifests_in_docs())
def test_every_manifest_in_the_docs_is_without_errors(path: str, text: str):
    problems = [
        problem for problem in open_text(text, source=path).errors if problem.rule not in _NEED_A_FOLDER
    ]

    assert problems == []


def test_every_python_example_compiles():
    examples = [
        (page.name, block)
        for page in pages()
        for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]

    assert examples
    for name, block in examples:
        compile(block, name, "exec")


def test_the_description_of_the_api_refers_to_nothing_that_it_lacks():
    described = create_app().openapi()
    wanted = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(described)))

    assert wanted - set(described["components"]["schemas"]) == set()
