"""Reads a conversation: what was asked, and what the tools have answered since."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tercet.domain.codec import from_json, to_json

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DEEPEST_RESULT = 5
_LARGEST_WHOLE = 2**63


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """What one tool call gave."""

    name: str
    text: str
    is_error: bool = False

    @property
    def number(self) -> int | float | None:
        """The number that the answer states, or None: `42`, `{"result": 42}`, `{"result": {"result": "42.0"}}`."""
        return _number_in(self.text)


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A request as the mock understands it."""

    model: str
    system: str
    question: str
    """The text of the user's last message that is more than tool results, and of what follows it."""
    turn: int = 0
    """How often tools have answered since the question."""
    answers: tuple[ToolAnswer, ...] = ()
    """All tool answers since the question, in order."""
    last_answers: tuple[ToolAnswer, ...] = ()
    """Those of the last message."""
    tools: tuple[str, ...] = ()

    @property
    def prompt(self) -> str:
        """Everything since the question that can be read."""
        return "\n".join([self.question, *(answer.text for answer in self.answers)])


def read_conversation(body: dict[str, Any]) -> Conversation:
    """Return what a valid request says."""
    messages = [message for message in body["messages"] if message["role"] != "system"] or body["messages"]
    first = len(messages) - 1
    while first > 0 and (messages[first]["role"] == "assistant" or _has_results(messages[first])):
        first -= 1
    names = {
        block["id"]: block["name"]
        for message in messages[first:]
        for block in blocks_of(message["content"])
        if block["type"] == "tool_use"
    }
    rounds = [_answers(message, names) for message in messages[first + 1 :] if _has_results(message)]
    texts = [text_of(message["content"]) for message in messages[first:] if message["role"] != "assistant"]
    return Conversation(
        model=body["model"],
        system=text_of(body.get("system")),
        question="\n".join(text for text in texts if text),
        turn=len(rounds),
        answers=tuple(answer for answers in rounds for answer in answers),
        last_answers=tuple(rounds[-1]) if rounds else (),
        tools=tuple(tool["name"] for tool in body.get("tools") or [] if isinstance(tool.get("name"), str)),
    )


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """Return the blocks of a message's content."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


def text_of(content: Any) -> str:
    """Return what a person would read of a content, tool results left out."""
    return "\n".join(block["text"] for block in blocks_of(content) if block.get("type") == "text")


def _has_results(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and any(
        b["type"] == "tool_result" for b in blocks_of(message["content"])
    )


def _answers(message: dict[str, Any], names: dict[str, str]) -> list[ToolAnswer]:
    return [
        ToolAnswer(
            name=names.get(block["tool_use_id"], ""),
            text=text_of(block.get("content")),
            is_error=bool(block.get("is_error")),
        )
        for block in blocks_of(message["content"])
        if block["type"] == "tool_result"
    ]


def _number_in(text: str) -> int | float | None:
    try:
        value = from_json(text)
    except ValueError:
        value = text
    for _ in range(_DEEPEST_RESULT):
        if not isinstance(value, dict):
            break
        value = value.get("result", value.get("output", value.get("value")))
    if isinstance(value, bool) or value is None:
        return None
    found = _NUMBER.findall(value if isinstance(value, str) else to_json(value))
    return _plain(found[0]) if len(found) == 1 else None


def _plain(text: str) -> int | float | None:
    """Return the number as a person would write it: 42.000 is 42."""
    number = Decimal(text)
    if abs(number) < _LARGEST_WHOLE and number == number.to_integral_value():
        return int(number)
    value = float(number)
    return value if math.isfinite(value) else None
