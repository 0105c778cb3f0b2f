"""The one JSON codec, and digests over a canonical form."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

import orjson
from pydantic import BaseModel


def _default(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def to_json(value: Any) -> str:
    """Return compact JSON text. Raises TypeError for values that have no JSON form."""
    return orjson.dumps(value, default=_default, option=orjson.OPT_NON_STR_KEYS).decode()


def from_json(text: str | bytes) -> Any:
    """Parse JSON text. Raises ValueError (with line and column) for anything else."""
    return orjson.loads(text)


def digest(value: Any) -> str:
    """Return the SHA-256, in hex, of the canonical JSON (sorted keys) of `value`."""
    canonical = orjson.dumps(value, default=_default, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(canonical).hexdigest()
