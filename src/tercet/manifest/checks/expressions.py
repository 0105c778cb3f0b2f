"""Rules about CEL expressions and JSON Schemas, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tercet.manifest.condition import compile_expression
from tercet.manifest.problems import Finding, Path


def expression_findings(rule: str, text: str, path: Path) -> Iterator[Finding]:
    """Yield what is wrong with an expression."""
    try:
        expression = compile_expression(text)
    except ValueError as error:
        yield Finding(
            rule=rule, message=f"{text!r} is not CEL: {error}", hint="e.g. data.score > 0.5", path=path
        )
        return
    if expression.unknown_variables:
        yield Finding(
            rule=rule, message=f"{text!r} uses the unknown name {expression.unknown_variables[0]!r}",
            hint="expressions know event, data and output", path=path,
        )  # fmt: skip


def schema_findings(rule: str, schema: dict[str, Any], path: Path) -> Iterator[Finding]:
    """Yield what is wrong with a JSON Schema."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = "/".join(str(part) for part in error.absolute_path)
        yield Finding(
            rule=rule,
            message=f"not a JSON Schema: {error.message[:200]} at /{where}",
            hint="draft 2020-12",
            path=path,
        )
