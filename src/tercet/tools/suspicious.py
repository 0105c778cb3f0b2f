"""Finds text in arguments and results that looks like an attack (spec 3, Input Validation).

A finding in arguments refuses the call. A finding in a result is marked for the model and the audit: what a
page says is data, and a page may well write about `rm -rf`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_MOST_TEXT = 200_000
_DEEPEST = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Where something suspicious stands, and which rule says so."""

    place: str
    rule: str


_ARGUMENT_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("shell command", r"\brm\s{1,9}-[a-z]{0,4}[rf]|;\s{0,9}(?:rm|curl|wget|bash|sh|nc)\s"),
        ("shell command", r"\|\s{0,9}(?:ba)?sh\b|\$\(|`[^`\n]{1,200}`"),
        ("SQL injection", r"\b(?:drop|truncate|alter)\s{1,9}table\b|\bunion\s{1,9}(?:all\s{1,9})?select\b"),
        ("SQL injection", r"'\s{0,9}or\s{1,9}'?\d+'?\s{0,9}=|;\s{0,9}delete\s{1,9}from\b|--\s{0,9}$"),
        ("path traversal", r"(?:^|[\\/=])\.\.(?:[\\/]|$)|(?:%2e|\.){2}(?:%2f|%5c|[\\/])"),
        ("script injection", r"<\s{0,9}script\b|javascript\s{0,9}:|\bon(?:error|load|click)\s{0,9}="),
        ("control character", r"\x00"),
    )
)  # fmt: skip
_RESULT_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "instructions to the model",
            r"\b(?:ignore|disregard|forget)\s{1,9}(?:all\s{1,9})?(?:your|the|any)?\s{0,9}"
            r"(?:previous|prior|above|earlier)\s{1,9}(?:instructions|prompts?|rules)",
        ),
        (
            "a new role for the model",
            r"\byou\s{1,9}are\s{1,9}now\s{1,9}(?:in\s{1,9})?(?:a|an|dan|developer|jailbroken|root)\b"
            r"|<\s{0,9}/?\s{0,9}system\s{0,9}>",
        ),
        (
            "a request for secrets",
            r"\b(?:reveal|print|send|show)\s{1,9}(?:me\s{1,9})?(?:your|the)\s{1,9}"
            r"(?:system\s{1,9}prompt|api\s{0,2}key|password|secret)",
        ),
    )
)  # fmt: skip


def suspicious_arguments(arguments: Any, *, except_fields: frozenset[str] = frozenset()) -> Finding | None:
    """Return the first finding in the arguments, or None. Fields that people read are left out."""
    if isinstance(arguments, dict) and except_fields:
        arguments = {key: value for key, value in arguments.items() if key not in except_fields}
    return _first(arguments, _ARGUMENT_RULES)


def suspicious_result(result: Any) -> Finding | None:
    """Return the first finding in a result, or None."""
    return _first(result, _RESULT_RULES)


def _first(value: Any, rules: tuple[tuple[str, re.Pattern[str]], ...]) -> Finding | None:
    for place, text in _texts(value, "", 0):
        for name, pattern in rules:
            if pattern.search(text[:_MOST_TEXT]):
                return Finding(place=place or "/", rule=name)
    return None


def _texts(value: Any, place: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif depth >= _DEEPEST:
        return
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{place}/{str(key)[:50]} (name)", str(key)
            yield from _texts(inner, f"{place}/{str(key)[:50]}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}/{index}", depth + 1)
