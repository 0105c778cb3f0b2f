"""Messages as rows, and as everybody sees them."""

from __future__ import annotations

from typing import Any

from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json, to_json
from tercet.domain.prices import from_pico
from tercet.store import statements as sql
from tercet.store.reader import Record
from tercet.store.unit import Unit

LONGEST_MESSAGE = 100_000
_LONGEST_TITLE = 80


def message_row(
    *,
    conversation_id: str,
    seq: int,
    role: str,
    content: str,
    execution_id: str,
    at_ms: int,
    message_id: str,
    detail: dict[str, Any],
    cost_picousd: int | None = None,
) -> Record:
    """Return a new message's row."""
    return {
        "conversation_id": conversation_id, "seq": seq, "role": role, "content": content,
        "execution_id": execution_id, "at_ms": at_ms, "message_id": message_id, "detail": to_json(detail),
        "cost_picousd": cost_picousd,
    }  # fmt: skip


def add_message(unit: Unit, row: Record) -> None:
    """Insert a message, and note in its conversation when it came."""
    unit.add(sql.INSERT_CHAT_MESSAGE, tuple(row[column] for column in sql.INSERT_CHAT_MESSAGE.columns))
    unit.add(sql.TOUCH_CHAT, (row["at_ms"], row["conversation_id"]))


def message_to_wire(row: Record) -> dict[str, Any]:
    """Return {message_id, conversation_id, seq, role, content, execution_id, cost_usd, created_at, detail}."""
    cost = row["cost_picousd"]
    return {
        "message_id": row["message_id"],
        "conversation_id": row["conversation_id"],
        "seq": row["seq"],
        "role": row["role"],
        "content": row["content"],
        "execution_id": row["execution_id"],
        "cost_usd": None if cost is None else float(from_pico(cost)),
        "created_at": to_iso(row["at_ms"]),
        "detail": from_json(row["detail"]) if row["detail"] else {},
    }


def title_of(text: str) -> str:
    """Return the title of a conversation that begins with a text."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"


def pending_of(history: list[Record]) -> dict[str, Any] | None:
    """Return what the last assistant message asked for, {template, variables}, or None."""
    if not history or history[-1]["role"] != "assistant" or not history[-1]["detail"]:
        return None
    pending = from_json(history[-1]["detail"]).get("pending")
    return pending if isinstance(pending, dict) else None
