"""Projects and their conversations: made, read, changed, deleted; each its owner's."""

from __future__ import annotations

from typing import Any

from tercet.domain.clock import to_iso
from tercet.domain.errors import NotFound
from tercet.engine.engine import Engine
from tercet.store import statements as sql
from tercet.store.chats import (
    chat_ids,
    document_ids,
    list_chats,
    list_projects,
    load_chat,
    load_project,
    messages_after,
)
from tercet.store.reader import Record
from tercet.store.unit import Unit


class Projects:
    """Projects by id. A stranger's project is not there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def create(self, *, owner_id: str, name: str, instructions: str = "") -> Record:
        """Make a project; `instructions` go into the system prompt of its chats."""
        now_ms = self._engine.clock.now_ms()
        row = {
            "id": self._engine.mint.mint("prj"), "owner_id": owner_id, "name": name, "instructions": instructions,
            "created_at_ms": now_ms, "updated_at_ms": now_ms,
        }  # fmt: skip
        unit = Unit()
        unit.add(sql.INSERT_PROJECT, tuple(row[column] for column in sql.INSERT_PROJECT.columns))
        await self._engine.journal.submit(unit)
        return row

    async def get(self, project_id: str, *, owner_id: str) -> Record:
        """Return a project. Raises NotFound."""
        row = await self._engine.reader.read(load_project, owner_id=owner_id, project_id=project_id)
        if row is None:
            raise NotFound(f"there is no project {project_id!r}")
        return row

    async def all(self, *, owner_id: str, limit: int, before: str | None) -> list[Record]:
        """Return projects, newest first."""
        return await self._engine.reader.read(list_projects, owner_id=owner_id, limit=limit, before=before)

    async def change(
        self, project_id: str, *, owner_id: str, name: str | None = None, instructions: str | None = None
    ) -> Record:
        """Change what is given. Raises NotFound."""
        row = await self.get(project_id, owner_id=owner_id)
        row["name"] = row["name"] if name is None else name
        row["instructions"] = row["instructions"] if instructions is None else instructions
        row["updated_at_ms"] = self._engine.clock.now_ms()
        unit = Unit()
        unit.add(sql.UPDATE_PROJECT, (row["name"], row["instructions"], row["updated_at_ms"], project_id))
        await self._engine.journal.submit(unit)
        return row

    async def delete(self, project_id: str, *, owner_id: str) -> None:
        """Delete a project with its conversations and documents; executions and costs stay. Raises NotFound."""
        await self.get(project_id, owner_id=owner_id)
        read, unit = self._engine.reader.read, Unit()
        for conversation_id in await read(chat_ids, project_id):
            _delete_chat(unit, conversation_id)
        for document_id in await read(document_ids, project_id):
            unit.add(sql.DELETE_PASSAGES, (document_id,))
            unit.add(sql.DELETE_DOCUMENT, (document_id,))
        unit.add(sql.DELETE_PROJECT, (project_id,))
        await self._engine.journal.submit(unit)

    async def conversations(
        self, project_id: str, *, owner_id: str, limit: int, before: str | None
    ) -> list[Record]:
        """Return a project's conversations, newest first. Raises NotFound."""
        await self.get(project_id, owner_id=owner_id)
        return await self._engine.reader.read(list_chats, project_id=project_id, limit=limit, before=before)

    async def start_conversation(self, project_id: str, *, owner_id: str, title: str) -> Record:
        """Make an empty conversation. Raises NotFound."""
        await self.get(project_id, owner_id=owner_id)
        row = chat_row(
            self._engine.mint.mint("cnv"), owner_id=owner_id, project_id=project_id, title=title,
            now_ms=self._engine.clock.now_ms(),
        )  # fmt: skip
        unit = Unit()
        add_chat(unit, row)
        await self._engine.journal.submit(unit)
        return row

    async def conversation(self, conversation_id: str, *, owner_id: str) -> Record:
        """Return a conversation. Raises NotFound."""
        row = await self._engine.reader.read(load_chat, owner_id=owner_id, conversation_id=conversation_id)
        if row is None:
            raise NotFound(f"there is no conversation {conversation_id!r}")
        return row

    async def rename_conversation(self, conversation_id: str, *, owner_id: str, title: str) -> Record:
        """Give a conversation another title. Raises NotFound."""
        row = await self.conversation(conversation_id, owner_id=owner_id)
        row["title"], row["updated_at_ms"] = title, self._engine.clock.now_ms()
        unit = Unit()
        unit.add(sql.UPDATE_CHAT, (title, row["updated_at_ms"], conversation_id))
        await self._engine.journal.submit(unit)
        return row

    async def delete_conversation(self, conversation_id: str, *, owner_id: str) -> None:
        """Delete a conversation with its messages. A turn that is under way ends without an answer."""
        await self.conversation(conversation_id, owner_id=owner_id)
        unit = Unit()
        _delete_chat(unit, conversation_id)
        await self._engine.journal.submit(unit)

    async def messages(self, conversation_id: str, *, owner_id: str, after: int, limit: int) -> list[Record]:
        """Return messages after a number, oldest first. Raises NotFound."""
        await self.conversation(conversation_id, owner_id=owner_id)
        return await self._engine.reader.read(messages_after, conversation_id, after=after, limit=limit)


def chat_row(conversation_id: str, *, owner_id: str, project_id: str, title: str, now_ms: int) -> Record:
    """Return a new conversation's row."""
    return {
        "id": conversation_id, "owner_id": owner_id, "agent_id": None, "created_at_ms": now_ms,
        "project_id": project_id, "title": title, "updated_at_ms": now_ms,
    }  # fmt: skip


def add_chat(unit: Unit, row: Record) -> None:
    """Insert a conversation."""
    unit.add(sql.INSERT_CHAT, tuple(row[column] for column in sql.INSERT_CHAT.columns))


def _delete_chat(unit: Unit, conversation_id: str) -> None:
    unit.add(sql.DELETE_MESSAGES, (conversation_id,))
    unit.add(sql.DELETE_CONVERSATION, (conversation_id,))


def project_to_wire(row: Record) -> dict[str, Any]:
    """Return a project."""
    return {
        "project_id": row["id"], "name": row["name"], "instructions": row["instructions"],
        "created_at": to_iso(row["created_at_ms"]), "updated_at": to_iso(row["updated_at_ms"]),
    }  # fmt: skip


def conversation_to_wire(row: Record) -> dict[str, Any]:
    """Return a conversation without its messages."""
    return {
        "conversation_id": row["id"], "project_id": row["project_id"], "title": row["title"],
        "created_at": to_iso(row["created_at_ms"]), "updated_at": to_iso(row["updated_at_ms"]),
    }  # fmt: skip
