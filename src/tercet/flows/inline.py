"""A manifest's function inside of another face's task: same handlers, same steps, no execution of its own."""

from __future__ import annotations

import asyncio
from typing import Any

from tercet.domain.errors import HandlerTimedOut, NotFound
from tercet.engine.context import TaskContext
from tercet.flows.catalog import Catalog
from tercet.flows.function_step import run_function
from tercet.manifest.schema import Function


async def call_function(
    catalog: Catalog, context: TaskContext, manifest: str, function: str, data: dict[str, Any]
) -> Any:
    """Return what the function of the manifest in force returns, or {emitted: [...]} when that is nothing.

    What it emits starts nothing here. A function behind an approval is refused, as it is everywhere without one.
    Raises NotFound, HandlerTimedOut, and what the function raises.
    """
    definition = catalog.active(context.state.owner_id, manifest).definition
    block = definition.blocks.get(function)
    if not isinstance(block, Function):
        raise NotFound(f"the manifest {manifest!r} has no function {function!r}")
    context.event = {"name": "call", "data": data, "execution_id": context.execution_id, "seq": 0}
    timeout = asyncio.timeout(definition.handler(function).timeout_seconds)
    variables = definition.revision.manifest.config.variables
    try:
        async with timeout:
            result, emissions = await run_function(context, block, catalog.handlers, variables)
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise HandlerTimedOut(f"the function {function!r} ran too long") from error
    if result is None:
        return {"emitted": [{"name": emission.name, "data": emission.data} for emission in emissions]}
    return result
