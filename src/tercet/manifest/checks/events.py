"""Rules about events: declared, emitted, handled."""

from __future__ import annotations

from collections.abc import Iterator

from tercet.manifest.checks.expressions import schema_findings
from tercet.manifest.checks.known import Known
from tercet.manifest.problems import Finding
from tercet.manifest.schema import FanIn


def undeclared_event(known: Known) -> Iterator[Finding]:
    """An event is used but not declared under `events`."""
    for event, path in [*known.triggers, *known.emits]:
        if event not in known.declared:
            yield Finding(
                rule="undeclared-event", message=f"the event {event!r} is not declared under events",
                hint=known.similar(event, known.declared), path=path,
            )  # fmt: skip


def never_emitted_event(known: Known) -> Iterator[Finding]:
    """A declared event triggers nothing and nothing emits it."""
    for index, event in enumerate(known.manifest.events):
        if event.name not in known.emitted and event.name not in known.handled:
            yield Finding(
                severity="warning", rule="never-emitted-event", message=f"the event {event.name!r} is declared but never used",
                hint="remove it, or let a handler emit it or start on it", path=("events", index, "name"),
            )  # fmt: skip


def unhandled_event(known: Known) -> Iterator[Finding]:
    """A handler emits an event that starts nothing."""
    for event, path in known.emits:
        if event not in known.handled and event in known.declared and not _is_final(known, event):
            yield Finding(
                severity="warning", rule="unhandled-event", message=f"{event!r} is emitted, but nobody handles it",
                hint="if it only marks an end, say so in its description (“final”)", path=path,
            )  # fmt: skip


def fan_in_never_complete(known: Known) -> Iterator[Finding]:
    """A fan-in waits for an event that nothing emits."""
    for index, function in enumerate(known.manifest.functions):
        if not isinstance(function.trigger, FanIn):
            continue
        for event in function.trigger.wait_for:
            if event in known.declared and event not in known.emitted:
                yield Finding(
                    rule="fan-in-never-complete", message=f"the fan-in waits for {event!r}, which nothing emits",
                    hint="let a handler emit it, or wait for another event", path=("functions", index, "trigger", "wait_for"),
                )  # fmt: skip


def bad_event_schema(known: Known) -> Iterator[Finding]:
    """An event's `schema` is no JSON Schema."""
    for index, event in enumerate(known.manifest.events):
        if event.data_schema is not None:
            yield from schema_findings("bad-event-schema", event.data_schema, ("events", index, "schema"))


def _is_final(known: Known, event: str) -> bool:
    declared = next((e for e in known.manifest.events if e.name == event), None)
    return declared is not None and "final" in (declared.description or "").lower()


RULES = (undeclared_event, never_emitted_event, unhandled_event, fan_in_never_complete, bad_event_schema)
