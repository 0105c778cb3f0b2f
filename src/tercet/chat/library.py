"""The templates that `template_engine` may fill in, each with its declared variables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tercet.domain.errors import InvalidSettings

SHIPPED = Path(__file__).parent / "templates"
_NAME = r"^[a-z][a-z0-9-]{0,63}$"


class Variable(BaseModel):
    """A declared variable. Without a default it is required."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str
    type: Literal["text", "number", "integer", "date"] = "text"
    default: str | int | float | None = None
    example: str | None = None
    choices: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Words that the value follows in a plain sentence, such as `for` or `in`."""

    @property
    def required(self) -> bool:
        """Whether somebody has to say it."""
        return self.default is None

    def read(self, value: Any) -> str | int | float:
        """Return the value in its type. Raises ValueError with what it has to be."""
        text = str(value).strip()
        if not text or len(text) > 2_000:
            raise ValueError("has 1 to 2,000 characters")
        if self.choices:
            found = next((choice for choice in self.choices if choice.casefold() == text.casefold()), None)
            if found is None:
                raise ValueError(f"is one of {', '.join(self.choices)}")
            return found
        if self.type == "integer":
            return _number(text, whole=True)
        if self.type == "number":
            return _number(text, whole=False)
        if self.type == "date":
            try:
                return date.fromisoformat(text).isoformat()
            except ValueError:
                raise ValueError("is a date such as 2027-01-31") from None
        return text


def _number(text: str, *, whole: bool) -> int | float:
    match = re.fullmatch(r"([+-]?\d{1,15}(?:\.\d{1,10})?)(?:\s*(?:days?|months?|years?|%|percent))?", text)
    if match is None or (whole and "." in match[1]):
        raise ValueError("is a whole number" if whole else "is a number")
    return int(match[1]) if "." not in match[1] else float(match[1])


class LibraryTemplate(BaseModel):
    """A template with a name that messages can ask for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=_NAME)
    title: str
    description: str
    keywords: tuple[str, ...] = Field(min_length=1)
    variables: dict[str, Variable] = Field(default_factory=dict)
    format: Literal["markdown", "text"] = "markdown"
    template: str

    def fill(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return (values, problems by variable): what is missing or has the wrong form is a problem."""
        values: dict[str, Any] = {}
        problems: dict[str, str] = {}
        for name, variable in self.variables.items():
            value = given.get(name)
            if value is None or not str(value).strip():
                if variable.required:
                    problems[name] = "is missing"
                else:
                    values[name] = variable.default
                continue
            try:
                values[name] = variable.read(value)
            except ValueError as error:
                problems[name] = str(error)
        return values, problems

    def question(self, problems: dict[str, str]) -> str:
        """Return what to ask the user."""
        lines = [f"For the {self.title.lower()} I still need:"]
        for name, problem in problems.items():
            variable = self.variables[name]
            example = f", for example {variable.example}" if variable.example else ""
            reason = "" if problem == "is missing" else f" (it {problem})"
            lines.append(f"- **{name}**: {variable.description}{example}{reason}")
        return "\n".join(lines)


class TemplateLibrary:
    """Templates by name."""

    def __init__(self, templates: Iterable[LibraryTemplate]) -> None:
        """Take the templates. Raises InvalidSettings for a name that is taken."""
        self._templates: dict[str, LibraryTemplate] = {}
        for template in templates:
            if template.name in self._templates:
                raise InvalidSettings(
                    f"two templates are called {template.name!r}", hint="rename one of them"
                )
            self._templates[template.name] = template

    def get(self, name: str | None) -> LibraryTemplate | None:
        """Return a template, or None."""
        return self._templates.get(name or "")

    @property
    def all(self) -> list[LibraryTemplate]:
        """Every template, by name."""
        return [self._templates[name] for name in sorted(self._templates)]


def load_library(*folders: Path) -> TemplateLibrary:
    """Read every `*.yaml` of the folders. Raises InvalidSettings naming the file."""
    return TemplateLibrary(_read(path) for folder in folders for path in sorted(folder.glob("*.yaml")))


def _read(path: Path) -> LibraryTemplate:
    try:
        return LibraryTemplate.model_validate(YAML(typ="safe").load(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, YAMLError, ValidationError) as error:
        raise InvalidSettings(
            f"the template {path} cannot be used: {error}", hint="see docs/reference/chat.md"
        ) from error
