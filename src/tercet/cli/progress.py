"""The live view of a run."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tercet.cli.output import dollars, table
from tercet.cli.session import Counts

ICONS = {"agent": "🤖", "human": "👤", "automated": "⚙️ "}


def task_table(counts: Counts, title: str | None = None) -> RenderableType:
    """Return tasks by handler: waiting or running, done, failed, retried."""
    out = table(title, "", "handler", "open", "done", "failed", "retries")
    for handler in sorted(counts.tasks, key=lambda name: (counts.executor_of.get(name, ""), name)):
        c = counts.tasks[handler]
        is_open = c["created"] - c["complete"] - c["error"]
        out.add_row(
            ICONS.get(counts.executor_of.get(handler, ""), ""), handler, str(max(0, is_open)), str(c["complete"]),
            str(c["error"]), str(c["retries"]),
        )  # fmt: skip
    return out


class LiveView:
    """Renders the counts as they are at the moment; Rich asks for it several times a second."""

    def __init__(self, counts: Counts, note: str | None) -> None:
        self._counts = counts
        self._note = note

    def __rich__(self) -> RenderableType:
        spent = dollars(self._counts.cost_picousd)
        line = Text(f"{self._counts.events:,} events   {self._counts.tokens:,} tokens   {spent}", style="dim")
        parts: list[RenderableType] = [task_table(self._counts), line]
        if self._note:
            parts.append(Text(self._note, style="yellow"))
        return Group(*parts)
