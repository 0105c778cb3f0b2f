"""A process that does one chat turn and kills itself at a given commit; what the crash test starts."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from tercet.chat.chats import Post, Posted
from tercet.domain.errors import AlreadyDecided
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.settings import Settings
from tercet.tools.base import ToolBase
from tercet.tools.catalog import ToolCatalog
from tercet.wiring import Tercet, open_tercet

OWNER = "local"
PERSON = Person(user="ada", role="owner", owner_id=OWNER)


class StampChatTool(ToolBase):
    """Has a side effect that can be counted from outside."""

    def __init__(self) -> None:
        super().__init__(name="stamp", description="Stamps.", input_schema={"type": "object"})

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        with Path(os.environ["STAMPS"]).open("a") as file:
            file.write("stamped\n")
        return {"stamped": True}


def main(folder: str, base_url: str | None, message: str, kill_at_commit: int | None) -> None:
    """Post the message, or go on with the turn that is there; die at the commit of this number."""
    os.environ["STAMPS"] = str(Path(folder) / "stamps")
    asyncio.run(_run(Path(folder), base_url, message, kill_at_commit))


async def _run(folder: Path, base_url: str | None, message: str, kill_at_commit: int | None) -> None:
    settings = Settings(_env_file=None, data_dir=folder)
    if base_url is not None:
        settings = Settings(
            _env_file=None, data_dir=folder, anthropic_api_key=SecretStr("k"), anthropic_base_url=base_url
        )
    # Known before the node starts: what a crash left goes on at once.
    ToolCatalog.discover = lambda self: self.add(StampChatTool(), origin="test")  # type: ignore[method-assign]
    async with open_tercet(settings) as node:
        commits = 0

        def count(_unit: Any) -> None:
            nonlocal commits
            commits += 1
            if commits == kill_at_commit:
                os.kill(os.getpid(), signal.SIGKILL)

        node.engine.commit_listeners.append(count)
        projects = await node.chat.projects.all(owner_id=OWNER, limit=1, before=None)
        project = projects[0] if projects else await node.chat.projects.create(owner_id=OWNER, name="Crash")
        post = Post(project_id=project["id"], message=message, idempotency_key="the-one-message")
        posted = await node.chat.chats.post(post, owner_id=OWNER, user="ada")
        answer = await _finish(node, posted)
        (folder / "answer").write_text(answer)


async def _finish(node: Tercet, posted: Posted) -> str:
    """Approve what has to be approved until the answer is there."""
    while True:
        _, answer = await node.chat.chats.wait(posted, seconds=30)
        if answer is not None:
            return str(answer["content"])
        for waiting in await node.chat.chats.open_approvals(posted.execution_id):
            decision = Decision(decision="approve")
            try:
                await node.decisions.decide(waiting["approval_id"], decision, by=PERSON)
            except AlreadyDecided:
                continue
