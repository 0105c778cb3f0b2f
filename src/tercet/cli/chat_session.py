"""What `tercet chat` does: streams answers, has approvals decided inline, says what each turn cost."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from rich.markdown import Markdown
from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt

from tercet.cli.client import Api, Refused, running_server
from tercet.cli.logs import configure_logging
from tercet.cli.output import console
from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidInput, OperatorError
from tercet.settings import Settings, load_settings

_MODES = ("ask", "all", "none")
_QUIT = frozenset({"/quit", "/exit", "/q"})
_READ_SECONDS = 120.0
"""The server says something every few seconds, so a longer silence means that it is gone."""


async def run_chat(
    message: str | None, *, project: str, conversation_id: str | None, approve: str, data_dir: Path | None
) -> int:
    """Chat until the one message is answered, or until the input ends; return the exit code."""
    if approve not in _MODES:
        raise InvalidInput(f"--approve {approve!r} is not known", hint="ask, all or none")
    configure_logging("WARNING")
    settings = load_settings(data_dir=data_dir)
    async with _connected(settings) as http:
        session = ChatSession(http, conversation_id=conversation_id, approve=approve)
        await session.open(project)
        if message is not None:
            return 0 if await session.turn(message) else 1
        console.print(
            "Write a message; an empty line or /quit ends the conversation.", style="dim", highlight=False
        )
        answered = True
        while (line := await _read_line()) is not None:
            answered = await session.turn(line) and answered
        if session.conversation_id:
            console.print(f"Go on with: tercet chat --conversation {session.conversation_id}", style="dim")
        return 0 if answered else 1


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Connect to the running server of the data folder, or run a node beside the conversation."""
    from tercet.cli.server import serve_beside

    address = running_server(settings.data_dir)
    if address is not None:
        token = (settings.data_dir / "admin-token").read_text().strip()
        async with _client(address, token) as http:
            yield http
        return
    async with serve_beside(settings) as (beside, token), _client(beside, token) as http:
        yield http


def _client(address: str, token: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=address, headers=headers, timeout=httpx.Timeout(30, read=_READ_SECONDS))


async def _read_line() -> str | None:
    """Return the next message, or None at the end."""
    try:
        line = await asyncio.to_thread(console.input, "[bold cyan]you[/bold cyan] › ")
    except EOFError:
        return None
    line = line.strip()
    return None if not line or line in _QUIT else line


class ChatSession:
    """One conversation over the HTTP API."""

    def __init__(self, http: httpx.AsyncClient, *, conversation_id: str | None, approve: str) -> None:
        self._http = http
        self._api = Api(http)
        self._approve = approve
        self._project_id = ""
        self._streamed = False
        self.conversation_id = conversation_id

    async def open(self, project: str) -> None:
        """Find the conversation's project, or the one of this name; make it when there is none."""
        if self.conversation_id is not None:
            chat = await self._api.call("GET", f"/conversations/{self.conversation_id}")
            self._project_id = chat["project_id"]
            return
        listed = await self._api.call("GET", "/projects", params={"limit": 500})
        found = next((item for item in listed["items"] if item["name"] == project), None)
        if found is None:
            found = await self._api.call("POST", "/projects", body={"name": project})
        self._project_id = found["project_id"]

    async def turn(self, message: str) -> bool:
        """Send a message and show what comes of it; return whether it was answered."""
        body = {"project_id": self._project_id, "message": message}
        if self.conversation_id is not None:
            body["conversation_id"] = self.conversation_id
        self._streamed = False
        try:
            async for kind, data in self._events(body):
                if kind == "message.persisted" and data["role"] == "assistant":
                    self._show_answer(data)
                    return bool(data["detail"].get("kind") != "failed")
                if kind == "chat.waiting" and not await self._decide(data["approvals"]):
                    return False
                self._show(kind, data)
        except httpx.HTTPError as error:
            raise OperatorError(
                f"the server does not answer: {type(error).__name__}", hint="what was sent is kept"
            ) from error
        return False

    async def _events(self, body: dict[str, Any]) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        headers = {"Accept": "text/event-stream"}
        async with self._http.stream("POST", "/api/v1/chat", json=body, headers=headers) as answer:
            if answer.status_code >= 400:
                refusal = from_json(await answer.aread())
                raise Refused(refusal["error"], hint=refusal.get("hint"), detail=refusal.get("detail", ()))
            kind = ""
            async for line in answer.aiter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield kind, from_json(line.removeprefix("data: "))

    def _show(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "chat.accepted":
            self.conversation_id = data["conversation_id"]
        elif kind == "message.delta":
            self._streamed = True
            console.print(data["text"], end="", markup=False, highlight=False, soft_wrap=True)
        elif kind == "message.begun" and self._streamed:
            console.print("\n[dim](beginning again with another model)[/dim]")
            self._streamed = False
        elif kind == "chat.executing":
            console.print(f"[dim]{escape(data['executor_type'])} …[/dim]")
        elif kind == "chat.retrying":
            console.print(f"[yellow]{escape(data['code'])}, trying again …[/yellow]")
        elif kind == "chat.ended":
            console.print("[yellow]The turn was ended without an answer.[/yellow]")

    def _show_answer(self, message: dict[str, Any]) -> None:
        detail = message["detail"]
        if self._streamed:
            console.print()
        elif detail.get("format") == "text" or not console.is_terminal:
            console.print(message["content"], markup=False, highlight=False, soft_wrap=True)
        else:
            console.print(Markdown(message["content"]))
        for source in detail.get("sources", []):
            console.print(f"  [dim]· {escape(source['title'])}, {escape(source['place'])}[/dim]")
        tokens = detail["tokens_input"] + detail["tokens_output"]
        model = f" · {detail['model']}" if detail.get("model") else ""
        console.print(
            f"[dim]${message['cost_usd']:.6f} · {tokens:,} tokens{escape(model)}[/dim]", highlight=False
        )
        if detail.get("note"):
            console.print(f"[yellow]{escape(detail['note'])}[/yellow]")

    async def _decide(self, approvals: list[dict[str, Any]]) -> bool:
        """Have the approvals decided here; return false when one of them stays open."""
        for waiting in approvals:
            approval = await self._api.call("GET", f"/approvals/{waiting['approval_id']}")
            decision = await asyncio.to_thread(self._ask, approval)
            if decision is None:
                console.print(
                    f"[yellow]waits for a person:[/yellow] tercet inbox show {waiting['approval_id']}"
                )
                return False
            body = {**decision, "digest": approval["digest"]}
            await self._api.call("POST", f"/approvals/{waiting['approval_id']}/decision", body=body)
        return True

    def _ask(self, approval: dict[str, Any]) -> dict[str, Any] | None:
        lines = [
            f"[bold]{escape(str(key))}[/bold]: {escape(value if isinstance(value, str) else to_json(value))}"
            for item in approval["items"]
            if item["status"] == "pending"
            for key, value in item["data"].items()
        ]
        console.print(Panel("\n".join(lines), title=escape(approval["title"]), expand=False))
        if self._approve == "all":
            return {"decision": "approve"}
        if self._approve == "none" or not sys.stdin.isatty():
            return None
        choice = Prompt.ask("a approve, r reject, s leave open", choices=["a", "r", "s"], default="s")
        if choice == "s":
            return None
        if choice == "a":
            return {"decision": "approve"}
        return {"decision": "reject", "feedback": Prompt.ask("Why?", default="no")}
