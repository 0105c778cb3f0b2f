"""The command line: `tercet`."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the entry point of the `tercet` script."""
    from tercet.cli.app import run

    run()
