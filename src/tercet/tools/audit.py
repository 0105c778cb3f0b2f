"""The audit of tool calls: each entry carries the hash of the one before it, so that a change shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tercet.domain.codec import digest, to_json

GENESIS = "0" * 64
_HASHED = (
    "seq", "agent", "tool", "version", "call_id", "arguments_digest", "outcome", "code", "flags", "duration_ms",
    "user_id", "at_ms",
)  # fmt: skip


@dataclass(kw_only=True)
class AuditChain:
    """The chain of one run."""

    seq: int = 0
    head: str = GENESIS
    entries: list[dict[str, Any]] = field(default_factory=list)
    keep: bool = True
    """Whether to keep entries in memory; a run that writes them to the store does not."""

    def append(self, entry: dict[str, Any], arguments: Any) -> dict[str, Any]:
        """Add an entry {agent, tool, version, call_id, outcome, code, flags, duration_ms, user_id, at_ms}."""
        self.seq += 1
        full = {**entry, "seq": self.seq, "arguments_digest": digest(arguments), "prev_hash": self.head}
        full["hash"] = self.head = entry_hash(full)
        if self.keep:
            self.entries.append(full)
        return full


def entry_hash(entry: dict[str, Any]) -> str:
    """Return the hash of an entry over its fields and the hash before it."""
    text = to_json([entry["prev_hash"], *(entry[name] for name in _HASHED)])
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken(entries: Iterable[dict[str, Any]]) -> int | None:
    """Return the number of the first entry that does not follow from the one before it, or None."""
    head = GENESIS
    for seq, entry in enumerate(entries, start=1):
        if entry["seq"] != seq or entry["prev_hash"] != head or entry["hash"] != entry_hash(entry):
            return seq
        head = entry["hash"]
    return None
