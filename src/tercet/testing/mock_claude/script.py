"""Scripted answers from YAML: rules that are tried in order, the first that matches answers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tercet.testing.mock_claude.conversation import Conversation

_LONGEST_DELAY_SECONDS = 3_600
StopReason = Literal[
    "end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal",
    "model_context_window_exceeded",
]  # fmt: skip


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Match(_Strict):
    """What a request must have; everything that is given must hold."""

    prompt_contains: str | None = None
    """In the question, or in what the tools have answered to it since."""
    prompt_regex: re.Pattern[str] | None = None
    """The same, as a Python regular expression that may match anywhere."""
    system_contains: str | None = None
    model: str | None = None
    tool: str | None = None
    """A tool of this name is offered."""
    turn: Annotated[int, Field(ge=0)] | None = None
    """How often tools have answered since the question; 0 is the question itself."""
    tool_result_contains: str | None = None
    """In what a tool has just answered; the empty string matches every tool result."""


class ToolUse(_Strict):
    """A tool call that the mock makes."""

    name: str
    input: dict[str, Any] = Field(default_factory=dict)


class ScriptedError(_Strict):
    """An error that the mock answers with."""

    status: Annotated[int, Field(ge=400, le=599)]
    type: str | None = None
    message: str = "scripted error"
    code: str | None = None
    """`details.error_code`, for example ramp_limit_exceeded."""
    retry_after: Annotated[float, Field(ge=0)] | None = None
    """Seconds."""
    in_stream: bool = False
    """A streamed answer begins with status 200 and then breaks with this error."""


class Reply(_Strict):
    """What the mock answers. `{tool_result}` in its texts stands for what the tool has just answered."""

    text: str | None = None
    json_value: Any = Field(default=None, alias="json")
    tool_use: ToolUse | list[ToolUse] | None = None
    error: ScriptedError | None = None
    stop_reason: StopReason | None = None
    delay_seconds: float = Field(default=0, ge=0, le=_LONGEST_DELAY_SECONDS)

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        says = self.model_fields_set & {"text", "json_value", "tool_use"}
        if self.error is not None and (says or self.stop_reason is not None):
            raise ValueError("a reply is either an error or an answer")
        if not says and self.error is None and self.stop_reason is None:
            raise ValueError("a reply needs text, json, tool_use, error or stop_reason")
        return self

    @property
    def calls(self) -> list[ToolUse]:
        """The tool calls, none, one or several."""
        if self.tool_use is None:
            return []
        return self.tool_use if isinstance(self.tool_use, list) else [self.tool_use]


class ScriptRule(_Strict):
    """A rule: one `reply`, or `replies` for a question and for each turn after its tool calls.

    A single reply that calls tools answers the question only, unless `match` names the turn or the tool
    result: the model would call without end.
    """

    match: Match = Field(default_factory=Match)
    reply: Reply | None = None
    replies: Annotated[list[Reply], Field(min_length=1)] | None = None
    times: int | None = Field(default=None, ge=1)
    """How often the rule answers; `replies` count once, with the first of them."""

    @model_validator(mode="after")
    def _has_one_kind_of_reply(self) -> Self:
        if (self.reply is None) == (self.replies is None):
            raise ValueError("a rule has either reply or replies")
        return self

    def reply_at(self, turn: int) -> Reply | None:
        """Return the reply for a turn, or None when the rule has nothing to say there."""
        if self.replies is not None:
            return self.replies[turn] if turn < len(self.replies) else None
        placed = self.match.turn is not None or self.match.tool_result_contains is not None
        once = self.reply is not None and bool(self.reply.calls) and not placed
        return None if once and turn > 0 else self.reply


class Script(_Strict):
    """A script: rules in order."""

    rules: list[ScriptRule] = Field(default_factory=list)


class ScriptPlayer:
    """Plays a script; counts how often each rule has answered."""

    def __init__(self, script: Script) -> None:
        self._rules = script.rules
        self._used: Counter[int] = Counter()

    def reply_to(self, conversation: Conversation) -> Reply | None:
        """Return the first fitting rule's reply, or None."""
        for index, rule in enumerate(self._rules):
            counts = rule.replies is None or conversation.turn == 0
            if counts and rule.times is not None and self._used[index] >= rule.times:
                continue
            reply = rule.reply_at(conversation.turn)
            if reply is not None and fits(rule.match, conversation):
                self._used[index] += counts
                return reply
        return None


def fits(match: Match, conversation: Conversation) -> bool:
    """Whether a request has all that a rule asks for."""
    results = "\n".join(answer.text for answer in conversation.last_answers)
    wanted = match.tool_result_contains
    return (
        (match.prompt_contains is None or match.prompt_contains in conversation.prompt)
        and (match.prompt_regex is None or match.prompt_regex.search(conversation.prompt) is not None)
        and (match.system_contains is None or match.system_contains in conversation.system)
        and (match.model is None or match.model == conversation.model)
        and (match.tool is None or match.tool in conversation.tools)
        and (match.turn is None or match.turn == conversation.turn)
        and (wanted is None or (conversation.turn > 0 and wanted in results))
    )


def load_script(path: Path) -> Script:
    """Read a script. Raises ValueError with the file and every unknown key and wrong value; OSError."""
    try:
        value = YAML(typ="safe").load(path.read_text("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not YAML: {error}") from error
    try:
        return Script.model_validate({} if value is None else value)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, problem['loc'])) or 'script'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_context=False)
        ]
        raise ValueError(f"{path}: {'; '.join(problems)}") from error
