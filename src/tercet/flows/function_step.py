"""A function's task: Python handlers, executor blocks, routing, webhook steps."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from tercet.domain.contract import ExecutorRequest
from tercet.domain.errors import HandlerFailed, NonRetryable
from tercet.engine.context import TaskContext
from tercet.engine.definition import Emission
from tercet.flows.emitting import declared_emissions
from tercet.flows.gate import check_approval_stands
from tercet.flows.handlers import Handler, HandlerTable
from tercet.manifest.condition import compile_expression
from tercet.manifest.schema import Function, WebhookStep


async def run_function(
    context: TaskContext, function: Function, handlers: HandlerTable, variables: dict[str, Any]
) -> tuple[Any, list[Emission]]:
    """Do the function's work."""
    if function.requires_approval is not None:
        await check_approval_stands(context, function.requires_approval)
    context.variables = variables
    if function.pattern == "routing":
        return _route(context, function)
    if function.steps:
        result = await _run_steps(context, function.steps, handlers)
        if function.handler is None and function.executor is None:
            return result, _emissions(context, function, result)
    if function.executor is not None:
        result = await _run_executor(context, function, variables)
    else:
        assert function.handler is not None
        result = await _call(_find(handlers, function.handler), context)
    return result, _emissions(context, function, result)


def _emissions(context: TaskContext, function: Function, result: Any) -> list[Emission]:
    """What the handler emitted itself; if it emitted nothing and returned an object, the declared events."""
    if context.emissions or not isinstance(result, dict):
        return context.emissions
    return declared_emissions(function.emits, context.event, result)


async def _call(handler: Handler, context: TaskContext) -> Any:
    if inspect.iscoroutinefunction(handler):
        return await handler(context.event, context)
    result = await asyncio.to_thread(handler, context.event, context)
    if inspect.isawaitable(result):
        return await result
    return result


def _find(handlers: HandlerTable, name: str) -> Handler:
    handler = handlers.get(name)
    if handler is None:
        raise NonRetryable(
            f"the handler {name!r} is not loaded", hint="start the server with the manifest that names it"
        )
    return handler


async def _run_executor(
    context: TaskContext, function: Function, variables: dict[str, Any]
) -> dict[str, Any]:
    block = function.executor
    assert block is not None
    fields: dict[str, Any] = dict((block.model_extra or {}).items())
    inputs = {"variables": variables, **context.event["data"], **fields.pop("input_variables", {})}
    text_field = fields.pop("text_from", None)
    if text_field is not None:
        fields["text"] = compile_expression(text_field).evaluate(context.event)
    request = ExecutorRequest.model_validate(
        {
            "task_id": context.task_id,
            "executor_type": block.type,
            "task": {"task_type": function.name, **fields, "input_variables": inputs},
            "constraints": block.constraints,
        }
    )
    result = await context.run_executor(request, name="executor")
    return result.result or {}


def _route(context: TaskContext, function: Function) -> tuple[Any, list[Emission]]:
    assert function.route_on is not None
    value = compile_expression(function.route_on).evaluate(context.event)
    key = str(value).lower() if isinstance(value, bool) else str(value)
    route = function.routes.get(key, function.default_route)
    if route is None:
        raise NonRetryable(
            f"no route for {value!r}", hint=f"routes: {', '.join(function.routes)}; add a default_route"
        )
    return {"route": key, "emit": route.emit}, [Emission(name=route.emit, data=context.event["data"])]


async def _run_steps(
    context: TaskContext, steps: list[WebhookStep], handlers: HandlerTable
) -> dict[str, Any]:
    results: dict[str, Any] = {}
    last: Any = None
    for step in steps:
        context.event["steps"] = results
        handler = _find(handlers, step.action)
        try:
            last = await context.step(step.name, _as_async(handler), context.event, context)
        except (NonRetryable, HandlerFailed):
            if step.on_failure == "fail":
                raise
            last = None
        except Exception as error:
            if step.on_failure == "fail":
                raise HandlerFailed(f"step {step.name!r}: {type(error).__name__}: {error}") from error
            last = None
        results[step.name] = last
    return last if isinstance(last, dict) else {"steps": results}


def _as_async(handler: Handler) -> Handler:
    async def call(event: dict[str, Any], context: TaskContext) -> Any:
        if inspect.iscoroutinefunction(handler):
            return await handler(event, context)
        return await asyncio.to_thread(handler, event, context)

    return call
