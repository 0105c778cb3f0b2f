"""The prompt cache as its users see it: which part of a marked prompt was read, and which was written."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from tercet.domain.codec import digest

LEAST_TOKENS = 1_024
"""Shorter prompts are not cached."""
_LOOK_BACK = 20
_MOST_PREFIXES = 10_000


class PromptCache:
    """Remembers beginnings of prompts; it forgets the oldest, never by time."""

    def __init__(self) -> None:
        self._tokens: OrderedDict[str, int] = OrderedDict()

    def split(self, body: dict[str, Any], tokens_input: int) -> tuple[int, int, int]:
        """Return (uncached, written, read) tokens of a prompt; all uncached when it carries no mark."""
        if tokens_input < LEAST_TOKENS or not _is_marked(body):
            return tokens_input, 0, 0
        plain = _without_marks({key: body.get(key) for key in ("model", "tools", "system", "messages")})
        messages = plain["messages"]
        read = 0
        for count in range(len(messages), max(-1, len(messages) - _LOOK_BACK), -1):
            known = self._tokens.get(_key(plain, count))
            if known is not None:
                read = min(known, tokens_input)
                break
        self._tokens[_key(plain, len(messages))] = tokens_input
        while len(self._tokens) > _MOST_PREFIXES:
            self._tokens.popitem(last=False)
        return 0, tokens_input - read, read


def _key(plain: dict[str, Any], count: int) -> str:
    return digest([plain["model"], plain["tools"], plain["system"], plain["messages"][:count]])


def _is_marked(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value.get("cache_control")) or any(_is_marked(inner) for inner in value.values())
    return isinstance(value, list) and any(_is_marked(inner) for inner in value)


def _without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_marks(inner) for key, inner in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [_without_marks(inner) for inner in value]
    return value
