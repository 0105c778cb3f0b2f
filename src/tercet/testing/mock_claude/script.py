"""Scripted answers from YAML: rules that are tried in order, the first that matches answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from ruamel.yaml import YAML


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Match(_Strict):
    """What a request must have; everything that is given must hold."""

    prompt_contains: str | None = None
    prompt_regex: str | None = None
    system_contains: str | None = None
    model: str | None = None
    tool: str | None = None
    """A tool of this name is offered."""


class ToolUse(_Strict):
    """A tool call that the mock makes."""

    name: str
    input: dict[str, Any] = Field(default_factory=dict)


class ScriptedError(_Strict):
    """An error that the mock answers with."""

    status: int
    type: str | None = None
    message: str = "scripted error"
    retry_after: float | None = None


class Reply(_Strict):
    """What the mock answers."""

    text: str | None = None
    json_value: Any = Field(default=None, alias="json")
    tool_use: ToolUse | list[ToolUse] | None = None
    error: ScriptedError | None = None
    stop_reason: str | None = None
    delay_seconds: float = Field(default=0, ge=0, le=3_600)


class ScriptRule(_Strict):
    """A rule; `times` limits how often it answers."""

    match: Match = Field(default_factory=Match)
    reply: Reply
    times: int | None = Field(default=None, ge=1)


class Script(_Strict):
    """A script: rules in order."""

    rules: list[ScriptRule] = Field(default_factory=list)


class ScriptPlayer:
    """Plays a script; counts how often each rule has answered."""

    def __init__(self, script: Script) -> None:
        self._rules = script.rules
        self._used = [0] * len(script.rules)

    def reply_to(self, *, prompt: str, system: str, model: str, tools: list[str]) -> Reply | None:
        """Return the first fitting rule's reply, or None."""
        for index, rule in enumerate(self._rules):
            if rule.times is not None and self._used[index] >= rule.times:
                continue
            if _fits(rule.match, prompt=prompt, system=system, model=model, tools=tools):
                self._used[index] += 1
                return rule.reply
        return None


def _fits(match: Match, *, prompt: str, system: str, model: str, tools: list[str]) -> bool:
    return (
        (match.prompt_contains is None or match.prompt_contains in prompt)
        and (match.prompt_regex is None or re.search(match.prompt_regex, prompt) is not None)
        and (match.system_contains is None or match.system_contains in system)
        and (match.model is None or match.model == model)
        and (match.tool is None or match.tool in tools)
    )


def load_script(path: Path) -> Script:
    """Read a script. Raises ValueError with every unknown key and wrong value."""
    return Script.model_validate(YAML(typ="safe").load(path.read_text("utf-8")) or {})
