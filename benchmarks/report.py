"""Tables of measured figures beside what is promised."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

_MARKS = {True: "[green]holds[/green]", False: "[red]FALLS SHORT[/red]", None: ""}


def print_table(title: str, rows: list[tuple[str, str, str, bool | None]]) -> None:
    """Print (figure, measured, promised, holds) rows."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in ("figure", "measured", "promised", ""):
        table.add_column(column, justify="right" if column == "measured" else "left")
    for figure, measured, promised, holds in rows:
        table.add_row(figure, measured, promised, _MARKS[holds])
    Console(width=120).print(table)
