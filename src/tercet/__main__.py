"""`python -m tercet`."""

from __future__ import annotations

from tercet.cli import main

main()
