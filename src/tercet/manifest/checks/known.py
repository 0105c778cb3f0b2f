"""What rules look at."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tercet.manifest.event_graph import EventGraph, emitted_events, event_graph, trigger_events
from tercet.manifest.problems import Path
from tercet.manifest.schema import Manifest


@dataclass(frozen=True, kw_only=True)
class Known:
    """The manifest and what surrounds it."""

    manifest: Manifest
    files: dict[str, str]
    executor_types: frozenset[str]
    allowed_handlers: frozenset[str] | None
    has_folder: bool

    @cached_property
    def graph(self) -> EventGraph:
        return event_graph(self.manifest)

    @cached_property
    def declared(self) -> set[str]:
        """Names under `events`."""
        return {event.name for event in self.manifest.events}

    @cached_property
    def emits(self) -> list[tuple[str, Path]]:
        """Every (event, path) that a handler emits."""
        return list(self._emits())

    @cached_property
    def triggers(self) -> list[tuple[str, Path]]:
        """Every (event, path) that starts a handler."""
        return list(self._triggers())

    @cached_property
    def emitted(self) -> set[str]:
        return {event for event, _ in self.emits}

    @cached_property
    def handled(self) -> set[str]:
        return {event for event, _ in self.triggers}

    def similar(self, name: str, known: set[str]) -> str:
        """Return a did-you-mean hint."""
        close = difflib.get_close_matches(name, sorted(known), n=1)
        return (
            f"did you mean {close[0]!r}?"
            if close
            else f"known: {', '.join(sorted(known)[:8])}"
            if known
            else ""
        )

    def _emits(self) -> Iterator[tuple[str, Path]]:
        m = self.manifest
        for kind, blocks in (("agents", m.agents), ("humans", m.humans)):
            for i, block in enumerate(blocks):
                for j, emit in enumerate(block.emits):
                    yield emit.event, (kind, i, "emits", j)
        for i, function in enumerate(m.functions):
            for j, (event, label) in enumerate(emitted_events(function)):
                if j < len(function.emits):
                    yield event, ("functions", i, "emits", j)
                elif label in function.routes and function.routes[label].emit == event:
                    yield event, ("functions", i, "routes", label)
                else:
                    yield event, ("functions", i, "default_route")

    def _triggers(self) -> Iterator[tuple[str, Path]]:
        m = self.manifest
        for i, agent in enumerate(m.agents):
            for j, trigger in enumerate(agent.triggers):
                yield trigger.event, ("agents", i, "triggers", j)
        for i, step in enumerate(m.humans):
            yield step.trigger.event, ("humans", i, "trigger")
        for i, function in enumerate(m.functions):
            for event in trigger_events(function):
                yield event, ("functions", i, "trigger")
