"""Chats over the HTTP API in this process, with a scripted Claude or with the rules alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.settings import Settings
from tercet.store.keys import open_keyring
from tercet.store.sqlite import open_reader
from tercet.testing.log_check import differences
from tercet.testing.mock_claude import MockClaude, Script
from tercet.web.app import create_app
from tercet.wiring import Tercet, open_tercet

Use = Callable[["ChatApi"], Awaitable[None]]


@dataclass(kw_only=True)
class ChatApi:
    """A client with a project of its own."""

    node: Tercet
    http: httpx.AsyncClient
    project_id: str = ""

    async def call(self, method: str, path: str, *, status: int = 200, **options: Any) -> Any:
        """Call and check the status; return the JSON."""
        answer = await self.http.request(method, f"/api/v1{path}", **options)
        assert answer.status_code == status, f"{answer.status_code}: {answer.text[:800]}"
        return answer.json() if answer.content else None

    async def say(
        self,
        message: str,
        *,
        status: int = 200,
        wait: int | None = 20,
        headers: dict[str, str] | None = None,
        **body: Any,
    ) -> Any:
        """Post a message and wait for the answer."""
        path = "/chat" if wait is None else f"/chat?wait={wait}"
        body = {"project_id": self.project_id, "message": message, **body}
        return await self.call("POST", path, status=status, json=body, headers=headers)

    async def upload(self, filename: str, content: bytes, *, status: int = 201, **form: str) -> Any:
        """Upload a document into the project."""
        files = {"file": (filename, content)}
        path = f"/projects/{self.project_id}/documents"
        return await self.call("POST", path, status=status, files=files, data=form)

    async def messages(self, conversation_id: str) -> list[dict[str, Any]]:
        """Return a conversation's messages."""
        found = await self.call("GET", f"/conversations/{conversation_id}/messages")
        return list(found["items"])

    async def stranger(self) -> dict[str, str]:
        """Return headers of a person of another owner."""
        _, token = await self.node.tokens.create(user="eve", role="owner", owner_id="elsewhere")
        return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def with_chat(tmp_path: Path) -> Callable[..., None]:
    """Run a coroutine with a ChatApi; afterwards every log must fold to its rows.

    With rules, a scripted Claude answers and the model decides.
    """

    def run(use: Use, *, rules: list[dict[str, Any]] | None = None, **settings: Any) -> None:
        async def go(base_url: str | None) -> None:
            own: dict[str, Any] = {"_env_file": None, "data_dir": tmp_path / "data", **settings}
            if base_url is not None:
                own |= {"anthropic_api_key": "k", "anthropic_base_url": base_url}
            async with open_tercet(Settings(**own)) as node:
                transport = httpx.ASGITransport(app=create_app(node), raise_app_exceptions=False)
                headers = {"Authorization": f"Bearer {node.admin_token}"}
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://t", headers=headers, timeout=30
                ) as http:
                    api = ChatApi(node=node, http=http)
                    made = await api.call("POST", "/projects", status=201, json={"name": "Purchasing"})
                    api.project_id = made["project_id"]
                    await use(api)

        if rules is None:
            asyncio.run(go(None))
        else:
            with MockClaude(Script.model_validate({"rules": rules})) as mock:
                asyncio.run(go(mock.base_url))
        engine = open_reader(tmp_path / "data" / "tercet.db", open_keyring(tmp_path / "data"))
        with engine.connect() as connection:
            assert differences(connection) == []

    return run
