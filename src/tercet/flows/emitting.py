"""Which of a handler's declared events are emitted for a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.engine.definition import Emission
from tercet.manifest.condition import compile_expression
from tercet.manifest.handlers import Emit


def declared_emissions(
    emits: Sequence[Emit], event: dict[str, Any], output: dict[str, Any]
) -> list[Emission]:
    """Return an emission for every entry whose `when` holds; the data are the output over the carried fields."""
    out = []
    for emit in emits:
        if emit.when is not None and not compile_expression(emit.when).holds(event, output):
            continue
        data = {**carried(emit, event), **output}
        out.append(Emission(name=emit.event, data=data, delay_seconds=emit.delay))
    return out


def carried(emit: Emit, event: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the triggering event that go along."""
    data = event.get("data") or {}
    if emit.carry is True:
        return dict(data)
    if emit.carry is False:
        return {}
    return {name: data[name] for name in emit.carry if name in data}
