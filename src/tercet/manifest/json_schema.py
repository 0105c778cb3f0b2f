"""The manifest's JSON Schema, for editors."""

from __future__ import annotations

from typing import Any

from tercet.manifest.schema import Manifest


def manifest_json_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a manifest file."""
    schema = Manifest.model_json_schema(by_alias=True, mode="validation")
    definitions = schema.get("$defs", {})
    for name in ("Emit", "HumanEmit"):
        if name in definitions:
            # A bare string is short for {event: …}.
            definitions[name] = {"anyOf": [{"type": "string"}, definitions[name]]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tercet manifest",
        **{key: value for key, value in schema.items() if key != "title"},
    }
