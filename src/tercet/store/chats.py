"""Reads of projects, their conversations with messages, and their documents."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from tercet.store.reader import Record, first, records
from tercet.store.tables import (
    conversation_messages,
    conversations,
    document_passages,
    documents,
    ledger,
    projects,
)


def load_project(connection: sa.Connection, *, owner_id: str, project_id: str) -> Record | None:
    """Return a project, or None."""
    query = sa.select(projects).where(projects.c.id == project_id, projects.c.owner_id == owner_id)
    return first(connection.execute(query))


def list_projects(
    connection: sa.Connection, *, owner_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return projects, newest first."""
    query = (
        sa.select(projects).where(projects.c.owner_id == owner_id).order_by(projects.c.id.desc()).limit(limit)
    )
    if before is not None:
        query = query.where(projects.c.id < before)
    return records(connection.execute(query))


def load_chat(connection: sa.Connection, *, owner_id: str, conversation_id: str) -> Record | None:
    """Return a conversation of a project, or None; agents' conversations are none."""
    query = sa.select(conversations).where(
        conversations.c.id == conversation_id,
        conversations.c.owner_id == owner_id,
        conversations.c.project_id.is_not(None),
    )
    return first(connection.execute(query))


def list_chats(
    connection: sa.Connection, *, project_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return a project's conversations, newest first."""
    query = (
        sa.select(conversations)
        .where(conversations.c.project_id == project_id)
        .order_by(conversations.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(conversations.c.id < before)
    return records(connection.execute(query))


def chat_ids(connection: sa.Connection, project_id: str) -> list[str]:
    """Return the ids of all conversations of a project."""
    return list(
        connection.scalars(sa.select(conversations.c.id).where(conversations.c.project_id == project_id))
    )


def messages_after(
    connection: sa.Connection, conversation_id: str, *, after: int, limit: int
) -> list[Record]:
    """Return messages after a sequence number, oldest first."""
    query = (
        sa.select(conversation_messages)
        .where(
            conversation_messages.c.conversation_id == conversation_id, conversation_messages.c.seq > after
        )
        .order_by(conversation_messages.c.seq)
        .limit(limit)
    )
    return records(connection.execute(query))


def messages_before(
    connection: sa.Connection, conversation_id: str, *, before: int, limit: int
) -> list[Record]:
    """Return the newest messages before a sequence number, oldest first."""
    query = (
        sa.select(conversation_messages)
        .where(
            conversation_messages.c.conversation_id == conversation_id, conversation_messages.c.seq < before
        )
        .order_by(conversation_messages.c.seq.desc())
        .limit(limit)
    )
    return records(connection.execute(query))[::-1]


def newest_seq(connection: sa.Connection, conversation_id: str) -> int:
    """Return the newest message's number, 0 for none."""
    query = sa.select(sa.func.coalesce(sa.func.max(conversation_messages.c.seq), 0)).where(
        conversation_messages.c.conversation_id == conversation_id
    )
    return int(connection.execute(query).scalar_one())


def load_message(connection: sa.Connection, conversation_id: str, seq: int) -> Record | None:
    """Return one message, or None."""
    query = sa.select(conversation_messages).where(
        conversation_messages.c.conversation_id == conversation_id, conversation_messages.c.seq == seq
    )
    return first(connection.execute(query))


def answer_of(connection: sa.Connection, conversation_id: str, execution_id: str) -> Record | None:
    """Return the assistant's message of a turn, or None while there is none."""
    query = sa.select(conversation_messages).where(
        conversation_messages.c.conversation_id == conversation_id,
        conversation_messages.c.execution_id == execution_id,
        conversation_messages.c.role == "assistant",
    )
    return first(connection.execute(query))


def usage_of(connection: sa.Connection, execution_id: str) -> Record:
    """Return cost, tokens and flags of a turn, from the ledger."""
    rows = records(connection.execute(sa.select(ledger).where(ledger.c.execution_id == execution_id)))
    return {
        "cost_picousd": sum(row["cost_picousd"] for row in rows),
        "tokens_input": sum(row["tokens_input"] for row in rows),
        "tokens_output": sum(row["tokens_output"] for row in rows),
        "flags": [row["flags"] for row in rows],
    }


def load_document(connection: sa.Connection, *, owner_id: str, document_id: str) -> Record | None:
    """Return a document, or None."""
    query = sa.select(documents).where(documents.c.id == document_id, documents.c.owner_id == owner_id)
    return first(connection.execute(query))


def list_documents(
    connection: sa.Connection, *, project_id: str, limit: int, before: str | None = None
) -> list[Record]:
    """Return a project's documents, newest first."""
    query = (
        sa.select(documents)
        .where(documents.c.project_id == project_id)
        .order_by(documents.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(documents.c.id < before)
    return records(connection.execute(query))


def same_document(connection: sa.Connection, *, project_id: str, digest: str) -> Record | None:
    """Return the project's document with this content, or None."""
    query = sa.select(documents).where(documents.c.project_id == project_id, documents.c.digest == digest)
    return first(connection.execute(query))


def document_ids(connection: sa.Connection, project_id: str) -> list[str]:
    """Return the ids of all documents of a project."""
    return list(connection.scalars(sa.select(documents.c.id).where(documents.c.project_id == project_id)))


def passages_of(connection: sa.Connection, document_id: str, *, limit: int) -> list[Record]:
    """Return a document's passages in their order."""
    query = (
        sa.select(document_passages)
        .where(document_passages.c.document_id == document_id)
        .order_by(document_passages.c.number)
        .limit(limit)
    )
    return records(connection.execute(query))


def attached_passages(
    connection: sa.Connection, document_ids: Sequence[str], *, project_id: str, limit: int
) -> list[Record]:
    """Return the first passages of some documents of a project, document by document."""
    rows: list[Record] = []
    for document_id in document_ids:
        query = (
            sa.select(document_passages)
            .where(
                document_passages.c.document_id == document_id, document_passages.c.project_id == project_id
            )
            .order_by(document_passages.c.number)
            .limit(limit)
        )
        rows += records(connection.execute(query))
    return rows[:limit]
