"""Decisions in the terminal."""

from __future__ import annotations

import asyncio
from typing import Any

from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt

from tercet.cli.output import console, status, table
from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json
from tercet.humans.decide import Decision, ItemVerdict
from tercet.store.reader import Record

_LONGEST_CELL = 90
_BULK = {"a": "approve", "r": "reject", "v": "revise"}


def approve_everything(approval: Record) -> list[Decision]:
    """Return the decision that approves every open item, named one by one."""
    items = [item["id"] for item in approval["items"] if item["status"] == "pending"]
    return [Decision(decision="approve", items=list(items), digest=approval["digest"])]


def show_approval(approval: Record) -> None:
    """Print an approval with the exact content of its items."""
    spec = from_json(approval["spec"])
    pending = [item for item in approval["items"] if item["status"] == "pending"]
    head = f"[bold]{escape(approval['title'])}[/bold]   {approval['id']}   {status(approval['status'])}"
    if approval["expires_at_ms"]:
        head += f"   until {to_iso(approval['expires_at_ms'])}"
    console.print(Panel(head, expand=False))
    if spec.get("instructions"):
        console.print(escape(spec["instructions"]))
    columns = _columns(pending, spec)
    out = table(None, "#", *columns)
    for index, item in enumerate(pending, start=1):
        data = from_json(item["data"])
        out.add_row(str(index), *(escape(_cell(data.get(column))) for column in columns))
    console.print(out)


def _columns(items: list[Record], spec: dict[str, Any]) -> list[str]:
    chosen = [
        *spec.get("summary", []),
        *[f for f in spec.get("editable", []) if f not in spec.get("summary", [])],
    ]
    if chosen:
        return chosen
    names: dict[str, None] = {}
    for item in items[:20]:
        names.update(dict.fromkeys(from_json(item["data"])))
    return list(names)[:8]


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


async def ask(approval: Record) -> list[Decision]:
    """Show an approval and ask; an empty answer leaves it open."""
    return await asyncio.to_thread(_ask, approval)


def _ask(approval: Record) -> list[Decision]:
    show_approval(approval)
    pending = [item for item in approval["items"] if item["status"] == "pending"]
    choices = ["a", "r", "v", "i", "s"] if len(pending) > 1 else ["a", "r", "v", "s"]
    words = "a approve, r reject, v revise, s skip for now" + (", i item by item" if len(pending) > 1 else "")
    choice = Prompt.ask(
        f"Decide {len(pending)} item{'s' if len(pending) > 1 else ''} ({words})", choices=choices, default="s"
    )
    if choice == "s":
        return []
    if choice == "i":
        return _item_by_item(approval, pending)
    items: list[str | ItemVerdict] = [item["id"] for item in pending]
    feedback = Prompt.ask("Why?") if choice in "rv" else None
    return [
        Decision.model_validate(
            {"decision": _BULK[choice], "items": items, "feedback": feedback, "digest": approval["digest"]}
        )
    ]


def _item_by_item(approval: Record, pending: list[Record]) -> list[Decision]:
    verdicts = []
    for index, item in enumerate(pending, start=1):
        console.print(Panel(_full(from_json(item["data"])), title=f"{index} of {len(pending)}", expand=False))
        choice = Prompt.ask(
            "a approve, r reject, v revise, s leave open", choices=["a", "r", "v", "s"], default="a"
        )
        if choice == "s":
            continue
        feedback = Prompt.ask("Why?") if choice in "rv" else None
        verdicts.append(
            {"item_id": item["id"], "decision": _BULK[choice], "feedback": feedback, "digest": item["digest"]}
        )
    if not verdicts:
        return []
    return [Decision.model_validate({"decision": "approve", "items": verdicts, "digest": approval["digest"]})]


def _full(data: dict[str, Any]) -> str:
    return "\n".join(f"[bold]{escape(str(key))}[/bold]: {escape(str(value))}" for key, value in data.items())
