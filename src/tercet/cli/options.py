"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="The data folder. Default: .tercet", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
