"""What commands print."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

# Pipes and files have no width of their own, and folded ids are of no use to a program.
console = Console() if sys.stdout.isatty() else Console(width=180)
_UNBROKEN = frozenset(
    {"execution", "task", "approval", "token", "event", "time", "created", "status", "webhook", "delivery"}
)
STATUS_STYLES = {
    "COMPLETED": "green", "COMPLETE": "green", "approved": "green", "RUNNING": "cyan", "QUEUED": "blue",
    "BLOCKED": "yellow", "pending": "yellow", "PAUSED": "magenta", "FAILED": "red", "ERROR": "red",
    "CANCELLED": "bright_black", "SKIPPED": "bright_black", "delivered": "green", "failed": "red", "dropped": "bright_black",
}  # fmt: skip


def print_json(value: Any) -> None:
    """Print JSON for programs."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def status(word: str) -> str:
    """Return a status in its colour."""
    style = STATUS_STYLES.get(word)
    return f"[{style}]{word}[/{style}]" if style else word


def table(title: str | None, *columns: str) -> Table:
    """Return an empty table in the house style."""
    made = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for column in columns:
        made.add_column(column, overflow="fold", no_wrap=column in _UNBROKEN)
    return made


def dollars(cost_picousd: int) -> str:
    """Return an amount with as many decimals as it needs to be seen."""
    from tercet.domain.prices import from_pico

    cost_usd = from_pico(cost_picousd)
    return f"${cost_usd:.6f}" if 0 < cost_usd < 1 else f"${cost_usd:.2f}"
