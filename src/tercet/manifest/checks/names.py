"""Rules about names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tercet.manifest.checks.known import Known
from tercet.manifest.problems import Finding, Path

_NOUN_VERB = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+")


def duplicate_name(known: Known) -> Iterator[Finding]:
    """Two handlers, or two events, have the same name."""
    seen: dict[str, str] = {}
    for kind, blocks in (
        ("agents", known.manifest.agents), ("functions", known.manifest.functions), ("humans", known.manifest.humans),
    ):  # fmt: skip
        for index, block in enumerate(blocks):
            path: Path = (kind, index, "name")
            if block.name in seen:
                message = f"the handler name {block.name!r} is used twice (also under {seen[block.name]})"
                yield Finding(
                    rule="duplicate-name",
                    message=message,
                    hint="names are how tasks find their handler",
                    path=path,
                )
            seen.setdefault(block.name, kind)
    events: set[str] = set()
    for index, event in enumerate(known.manifest.events):
        if event.name in events:
            yield Finding(
                rule="duplicate-name", message=f"the event {event.name!r} is declared twice",
                hint="keep one declaration", path=("events", index, "name"),
            )  # fmt: skip
        events.add(event.name)


def event_name_style(known: Known) -> Iterator[Finding]:
    """An event's name is not `noun.verb` in lower case."""
    for index, event in enumerate(known.manifest.events):
        if not _NOUN_VERB.fullmatch(event.name):
            yield Finding(
                severity="warning", rule="event-name-style", message=f"{event.name!r} is not of the form noun.verb",
                hint="e.g. lead.enriched: what happened, in the past tense", path=("events", index, "name"),
            )  # fmt: skip


RULES = (duplicate_name, event_name_style)
