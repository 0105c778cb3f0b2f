"""Durations as people write them: `30s`, `5m`, `4h`, `3d`, `1h30m`, `250ms`, or a number of seconds."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+")
_LONGEST_SECONDS = 10 * 366 * 86_400


def parse_seconds(value: object) -> float:
    """Return the seconds that `value` means. Raises ValueError with the accepted forms for anything else."""
    seconds: float
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a duration; write 30s, 5m, 4h, 3d or a number of seconds")
    if isinstance(value, (int, float)):
        seconds = float(value)
    elif isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        seconds = sum(float(number) * _UNITS_MS[unit] for number, unit in _PART.findall(value)) / 1000
    else:
        raise ValueError(f"{value!r} is not a duration; write 30s, 5m, 4h, 3d or a number of seconds")
    if not 0 <= seconds <= _LONGEST_SECONDS:
        raise ValueError(f"{value!r} is out of range; a duration lies between 0 and 10 years")
    return seconds


Seconds = Annotated[
    float,
    BeforeValidator(parse_seconds),
    Field(description="A duration: 30s, 5m, 4h, 3d, 1h30m, or a number of seconds."),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": "^(\\d+(\\.\\d+)?(ms|s|m|h|d|w))+$"},
            ]
        }
    ),
]
"""A pydantic field type: parses a duration into seconds."""
