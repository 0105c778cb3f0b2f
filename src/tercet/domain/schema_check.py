"""Checks values against JSON Schemas, with the validator compiled once a schema."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jsonschema_rs

from tercet.domain.codec import to_json


@lru_cache(maxsize=512)
def _validator(schema_text: str) -> Any:
    return jsonschema_rs.validator_for(schema_text, validate_formats=True, offline=True)


def schema_violation(schema: dict[str, Any], value: Any) -> str | None:
    """Return the first violation as `place: rule`, or None. Raises ValueError when the schema itself is none.

    A `$ref` leads within the schema; nothing is ever fetched.
    """
    try:
        validator = _validator(to_json(schema))
    except jsonschema_rs.ValidationError as broken:
        raise ValueError(f"not a JSON Schema: {broken.message}") from broken
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return None
    place = "/" + "/".join(str(part) for part in error.instance_path)
    return f"{place}: {error.message}"[:500]
