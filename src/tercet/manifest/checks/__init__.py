"""What a well-formed manifest can still get wrong. All rules run; all findings are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tercet.manifest.checks import agents, events, functions, graph, humans, names
from tercet.manifest.checks.known import Known
from tercet.manifest.loader import LoadedManifest, load_path, load_text
from tercet.manifest.problems import Finding

__all__ = ["DEFAULT_EXECUTORS", "RULES", "Known", "Rule", "check", "open_manifest", "open_text"]

DEFAULT_EXECUTORS = frozenset({"llm", "template_engine", "document_processor", "classifier", "tool_call"})


@dataclass(frozen=True)
class Rule:
    """A check: its name, what it finds, and the function that finds it."""

    name: str
    explanation: str
    find: Callable[[Known], Iterable[Finding]]


RULES: tuple[Rule, ...] = tuple(
    Rule(find.__name__.replace("_", "-"), (find.__doc__ or "").strip().splitlines()[0], find)
    for module in (names, events, graph, functions, agents, humans)
    for find in module.RULES
)
"""Every rule, by the kebab-case name that problems carry."""


def check(
    loaded: LoadedManifest,
    *,
    executor_types: frozenset[str] = DEFAULT_EXECUTORS,
    allowed_handlers: frozenset[str] | None = None,
) -> LoadedManifest:
    """Run every rule over a loaded manifest; its problems grow. `allowed_handlers` None means any."""
    if loaded.manifest is None:
        return loaded
    known = Known(
        manifest=loaded.manifest, files=loaded.files, executor_types=executor_types, allowed_handlers=allowed_handlers,
        has_folder=loaded.folder is not None,
    )  # fmt: skip
    for rule in RULES:
        loaded.add(list(rule.find(known)))
    return loaded


def open_manifest(path: Path, *, executor_types: frozenset[str] = DEFAULT_EXECUTORS) -> LoadedManifest:
    """Load and check a manifest from disk."""
    return check(load_path(path), executor_types=executor_types)


def open_text(
    text: str,
    *,
    source: str = "manifest.yaml",
    executor_types: frozenset[str] = DEFAULT_EXECUTORS,
    allowed_handlers: frozenset[str] | None = None,
) -> LoadedManifest:
    """Load and check a manifest that came over the network: no folder, only allowed handlers."""
    return check(
        load_text(text, source=source), executor_types=executor_types, allowed_handlers=allowed_handlers
    )
