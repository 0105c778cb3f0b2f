"""Rules about functions and about what all handlers share."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from tercet.manifest.checks.expressions import expression_findings, schema_findings
from tercet.manifest.checks.known import Known
from tercet.manifest.handlers import HandlerBlock, Trigger
from tercet.manifest.problems import Finding, Path
from tercet.manifest.schema import Cron, FanIn, Function, Webhook

_FLOW_CONTROL = ("concurrency", "throttle", "debounce", "batch", "cancel_on")


def handler_or_executor(known: Known) -> Iterator[Finding]:
    """A function needs exactly one of handler and executor; routing none, a webhook may have steps."""
    for index, function in enumerate(known.manifest.functions):
        count = (function.handler is not None) + (function.executor is not None)
        path: Path = ("functions", index, "name")
        if function.pattern == "routing":
            if count:
                yield Finding(
                    rule="handler-or-executor", message="a routing function only routes", hint="remove handler and executor",
                    path=path,
                )  # fmt: skip
        elif isinstance(function.trigger, Webhook) and function.steps:
            continue
        elif count != 1:
            yield Finding(
                rule="handler-or-executor", message=f"{function.name!r} has {count} of `handler` and `executor`, not one",
                hint="handler: module:function, or executor: {type: template_engine, …}", path=path,
            )  # fmt: skip


def unknown_executor(known: Known) -> Iterator[Finding]:
    """An executor block names a type that is not registered."""
    for index, function in enumerate(known.manifest.functions):
        if function.executor is not None and function.executor.type not in known.executor_types:
            yield Finding(
                rule="unknown-executor", message=f"there is no executor type {function.executor.type!r}",
                hint=known.similar(function.executor.type, set(known.executor_types)),
                path=("functions", index, "executor", "type"),
            )  # fmt: skip


def handler_not_allowed(known: Known) -> Iterator[Finding]:
    """A manifest from the network names a handler that the server was not started with."""
    if known.allowed_handlers is None:
        return
    for index, function in enumerate(known.manifest.functions):
        names: list[tuple[str | None, Path]] = [(function.handler, ("functions", index, "handler"))]
        names += [
            (step.action, ("functions", index, "steps", i, "action")) for i, step in enumerate(function.steps)
        ]
        for name, path in names:
            if name is not None and name not in known.allowed_handlers:
                yield Finding(
                    rule="handler-not-allowed", message=f"the server was not started with the handler {name!r}",
                    hint="start it with --manifest or --handlers, or use an executor block", path=path,
                )  # fmt: skip


def routing_incomplete(known: Known) -> Iterator[Finding]:
    """A routing function lacks route_on, routes or a default_route."""
    for index, function in enumerate(known.manifest.functions):
        path: Path = ("functions", index, "name")
        if function.pattern != "routing":
            if function.routes or function.route_on or function.default_route:
                yield Finding(
                    rule="routing-incomplete", message="routes belong to functions with pattern: routing",
                    hint="set pattern: routing", path=path,
                )  # fmt: skip
            continue
        if function.route_on is None or not function.routes:
            yield Finding(
                rule="routing-incomplete", message=f"{function.name!r} needs route_on and routes",
                hint="route_on: data.label, routes: {yes: {emit: …}}", path=path,
            )  # fmt: skip
        elif function.default_route is None:
            yield Finding(
                severity="warning", rule="routing-incomplete", message=f"{function.name!r} has no default_route",
                hint="a value that no route names fails the task", path=path,
            )  # fmt: skip


def bad_cron(known: Known) -> Iterator[Finding]:
    """A cron expression or its time zone is not valid."""
    for index, function in enumerate(known.manifest.functions):
        if not isinstance(function.trigger, Cron):
            continue
        path: Path = ("functions", index, "trigger", "cron")
        try:
            next(CronSim(function.trigger.cron, datetime(2026, 1, 1, tzinfo=UTC)))
        except (CronSimError, StopIteration) as error:
            yield Finding(
                rule="bad-cron", message=f"{function.trigger.cron!r} is not a cron expression: {error or 'it never comes'}",
                hint="minute hour day month weekday, e.g. */15 * * * *", path=path,
            )  # fmt: skip
        try:
            ZoneInfo(function.trigger.timezone)
        except (KeyError, ValueError, OSError):
            yield Finding(
                rule="bad-cron", message=f"{function.trigger.timezone!r} is not a time zone", hint="e.g. Europe/Copenhagen",
                path=("functions", index, "trigger", "timezone"),
            )  # fmt: skip


def bad_expression(known: Known) -> Iterator[Finding]:
    """A filter, a condition or a key is not a CEL expression over event, data and output."""
    for text, path in _expressions(known):
        yield from expression_findings("bad-expression", text, path)


def unknown_approval(known: Known) -> Iterator[Finding]:
    """requires_approval names no human step."""
    humans = {step.name for step in known.manifest.humans}
    for index, function in enumerate(known.manifest.functions):
        if function.requires_approval is not None and function.requires_approval not in humans:
            yield Finding(
                rule="unknown-approval", message=f"there is no human step {function.requires_approval!r}",
                hint=known.similar(function.requires_approval, humans), path=("functions", index, "requires_approval"),
            )  # fmt: skip


def bad_function_schema(known: Known) -> Iterator[Finding]:
    """A function's `schema` is no JSON Schema."""
    for index, function in enumerate(known.manifest.functions):
        if function.data_schema is not None:
            yield from schema_findings(
                "bad-function-schema", function.data_schema, ("functions", index, "schema")
            )


def flow_control_not_in_force(known: Known) -> Iterator[Finding]:
    """concurrency, throttle, debounce, batch and cancel_on are accepted but not applied."""
    m = known.manifest
    for kind, blocks in (("agents", m.agents), ("functions", m.functions), ("humans", m.humans)):
        for index, block in enumerate(blocks):
            for key in _FLOW_CONTROL:
                if getattr(block, key):
                    yield Finding(
                        severity="warning", rule="flow-control-not-in-force", message=f"{key} is not applied",
                        hint="this version runs the handler without it", path=(kind, index, key),
                    )  # fmt: skip


def _expressions(known: Known) -> Iterator[tuple[str, Path]]:
    m = known.manifest
    for kind, blocks in (("agents", m.agents), ("functions", m.functions), ("humans", m.humans)):
        for index, block in enumerate(blocks):
            assert isinstance(block, HandlerBlock)
            for j, emit in enumerate(block.emits):
                if emit.when is not None:
                    yield emit.when, (kind, index, "emits", j, "when")
    for index, agent in enumerate(m.agents):
        for j, trigger in enumerate(agent.triggers):
            if trigger.condition is not None:
                yield trigger.condition, ("agents", index, "triggers", j, "if")
    for index, function in enumerate(m.functions):
        yield from _function_expressions(function, ("functions", index))
    for index, step in enumerate(m.humans):
        if step.trigger.condition is not None:
            yield step.trigger.condition, ("humans", index, "trigger", "if")
        if step.bundle is not None:
            yield step.bundle.key, ("humans", index, "bundle", "key")
            if isinstance(step.bundle.expects, str):
                yield step.bundle.expects, ("humans", index, "bundle", "expects")


def _function_expressions(function: Function, path: Path) -> Iterator[tuple[str, Path]]:
    trigger = function.trigger
    if isinstance(trigger, Trigger) and trigger.condition is not None:
        yield trigger.condition, (*path, "trigger", "if")
    if isinstance(trigger, FanIn):
        yield trigger.correlation_key, (*path, "trigger", "correlation_key")
        if isinstance(trigger.count, str):
            yield trigger.count, (*path, "trigger", "count")
    if function.route_on is not None:
        yield function.route_on, (*path, "route_on")


RULES = (
    handler_or_executor, unknown_executor, handler_not_allowed, routing_incomplete, bad_cron, bad_expression,
    unknown_approval, bad_function_schema, flow_control_not_in_force,
)  # fmt: skip
