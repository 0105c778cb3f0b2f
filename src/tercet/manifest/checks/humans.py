"""Rules about human steps."""

from __future__ import annotations

from collections.abc import Iterator

from tercet.manifest.checks.expressions import schema_findings
from tercet.manifest.checks.known import Known
from tercet.manifest.problems import Finding


def human_without_timeout(known: Known) -> Iterator[Finding]:
    """A human step can wait for ever."""
    for index, step in enumerate(known.manifest.humans):
        if step.timeout_seconds is None:
            yield Finding(
                severity="warning", rule="human-without-timeout", message=f"{step.name!r} has no timeout",
                hint="set timeout: 72h and an emit `on: timeout`", path=("humans", index, "name"),
            )  # fmt: skip


def timeout_emits_nothing(known: Known) -> Iterator[Finding]:
    """A human step times out and nothing follows."""
    for index, step in enumerate(known.manifest.humans):
        emits_on_timeout = any(emit.on in ("timeout", "always") for emit in step.emits)
        if step.timeout_seconds is not None and step.on_timeout == "emit" and not emits_on_timeout:
            yield Finding(
                severity="warning", rule="timeout-emits-nothing", message=f"{step.name!r} ends silently after its timeout",
                hint="add {event: …, on: timeout} to emits, or set on_timeout", path=("humans", index, "timeout"),
            )  # fmt: skip


def escalation_without_target(known: Known) -> Iterator[Finding]:
    """on_timeout: escalate needs an escalation with a target."""
    for index, step in enumerate(known.manifest.humans):
        if step.on_timeout == "escalate" and step.escalation is None:
            yield Finding(
                rule="escalation-without-target", message=f"{step.name!r} escalates to nobody",
                hint="add escalation: {after: 24h, to: [admin]}", path=("humans", index, "on_timeout"),
            )  # fmt: skip


def bad_form(known: Known) -> Iterator[Finding]:
    """A form is no JSON Schema."""
    for index, step in enumerate(known.manifest.humans):
        if step.form is not None:
            yield from schema_findings("bad-form", step.form, ("humans", index, "form"))


RULES = (human_without_timeout, timeout_emits_nothing, escalation_without_target, bad_form)
