"""`tercet chat`: a conversation in the terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tercet.cli.options import DataDir


def chat(
    message: Annotated[
        str | None, typer.Argument(metavar="MESSAGE", help="One message; without it a conversation begins.")
    ] = None,
    project: Annotated[
        str, typer.Option("--project", help="The project's name; it is made when there is none.")
    ] = "Terminal",
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Go on with a conversation.")
    ] = None,
    approve: Annotated[str, typer.Option("--approve", help="ask, all or none")] = "ask",
    data_dir: DataDir = None,
) -> None:
    """Chat. Exits 0 when every message of the command was answered."""
    import asyncio

    from tercet.cli.chat_session import run_chat

    sys.exit(
        asyncio.run(
            run_chat(
                message, project=project, conversation_id=conversation, approve=approve, data_dir=data_dir
            )
        )
    )
