"""Documents of a project: read by `document_processor`, split into passages, found by full-text search."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from tercet.chat.passages import Passage, split_passages
from tercet.chat.projects import Projects
from tercet.chat.prompting import search_words
from tercet.domain.clock import to_iso
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.errors import InvalidInput, NotFound, TooLarge
from tercet.engine.engine import Engine
from tercet.humans.rows import Locks
from tercet.store import statements as sql
from tercet.store.chats import list_documents, load_document, passages_of, same_document
from tercet.store.passages import search_passages
from tercet.store.reader import Record
from tercet.store.unit import Unit

RunExecutor = Callable[[ExecutorRequest], Awaitable[ExecutorResult]]
_TIMEOUT_MS = 90_000
_MOST_SHOWN = 10_000
_LONGEST_NAME = 500


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document as somebody sends it."""

    filename: str
    content: bytes
    mime_type: str | None = None
    title: str | None = None

    @cached_property
    def digest(self) -> str:
        """What tells the content apart from others."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ReadDocument:
    """A document that can be stored; one without passages is stored already."""

    row: Record
    passages: tuple[Passage, ...]

    @property
    def is_new(self) -> bool:
        """Whether it has to be stored."""
        return bool(self.passages)

    def add_to(self, unit: Unit) -> None:
        """Insert the document with its passages."""
        row = self.row
        unit.add(sql.INSERT_DOCUMENT, tuple(row[column] for column in sql.INSERT_DOCUMENT.columns))
        for part in self.passages:
            values = (row["id"], row["project_id"], part.number, row["title"], part.place, part.text)
            unit.add(sql.INSERT_PASSAGE, values)


class Documents:
    """Documents by id. A stranger's document is not there."""

    def __init__(
        self, engine: Engine, projects: Projects, run_executor: RunExecutor, *, max_bytes: int
    ) -> None:
        self._engine = engine
        self._projects = projects
        self._run_executor = run_executor
        self._max_bytes = max_bytes
        self._locks = Locks()

    async def add(self, project_id: str, source: Source, *, owner_id: str, user: str) -> tuple[Record, bool]:
        """Read, split and index a document; return (row, whether it is new). Raises what `read` raises."""
        async with self._locks.hold(f"{project_id}:{source.digest}"):
            document = await self.read(project_id, source, owner_id=owner_id, user=user)
            if document.is_new:
                unit = Unit()
                document.add_to(unit)
                await self._engine.journal.submit(unit)
            return document.row, document.is_new

    async def read(self, project_id: str, source: Source, *, owner_id: str, user: str) -> ReadDocument:
        """Read and split a document without storing it; content that the project has already is not read again.

        Raises NotFound, TooLarge, InvalidInput for what cannot be read.
        """
        await self._projects.get(project_id, owner_id=owner_id)
        size_bytes = len(source.content)
        if size_bytes > self._max_bytes:
            raise TooLarge(f"a document has at most {self._max_bytes:,} bytes, not {size_bytes:,}")
        if not size_bytes:
            raise InvalidInput("the document is empty", detail=[{"field": "file", "rule": "is empty"}])
        known = await self._engine.reader.read(same_document, project_id=project_id, digest=source.digest)
        if known is not None:
            return ReadDocument(row=known, passages=())
        filename = (_plain(source.filename) or "document")[:_LONGEST_NAME]
        text, own_title = await self._text_of(filename, source)
        passages = await asyncio.to_thread(split_passages, text)
        if not passages:
            raise InvalidInput(
                f"{filename!r} holds no text", hint="scanned pages need text recognition first",
                detail=[{"field": "file", "rule": "holds no text"}],
            )  # fmt: skip
        title = _plain(source.title or "") or _plain(own_title) or PurePath(filename).stem
        row = {
            "id": self._engine.mint.mint("doc"), "owner_id": owner_id, "project_id": project_id,
            "title": title[:_LONGEST_NAME], "filename": filename, "mime_type": (source.mime_type or "")[:200] or None,
            "size_bytes": size_bytes, "digest": source.digest, "characters": len(text),
            "passages": len(passages), "created_by": user, "created_at_ms": self._engine.clock.now_ms(),
        }  # fmt: skip
        return ReadDocument(row=row, passages=tuple(passages))

    async def get(self, document_id: str, *, owner_id: str) -> Record:
        """Return a document. Raises NotFound."""
        row = await self._engine.reader.read(load_document, owner_id=owner_id, document_id=document_id)
        if row is None:
            raise NotFound(f"there is no document {document_id!r}")
        return row

    async def content(self, document_id: str) -> list[Record]:
        """Return a document's passages in their order."""
        return await self._engine.reader.read(passages_of, document_id, limit=_MOST_SHOWN)

    async def all(self, project_id: str, *, owner_id: str, limit: int, before: str | None) -> list[Record]:
        """Return a project's documents, newest first. Raises NotFound."""
        await self._projects.get(project_id, owner_id=owner_id)
        return await self._engine.reader.read(
            list_documents, project_id=project_id, limit=limit, before=before
        )

    async def delete(self, document_id: str, *, owner_id: str) -> None:
        """Delete a document and what search knows of it. Raises NotFound."""
        await self.get(document_id, owner_id=owner_id)
        unit = Unit()
        unit.add(sql.DELETE_PASSAGES, (document_id,))
        unit.add(sql.DELETE_DOCUMENT, (document_id,))
        await self._engine.journal.submit(unit)

    async def search(self, project_id: str, query: str, *, owner_id: str, limit: int) -> list[dict[str, Any]]:
        """Return {document_id, title, place, snippet, score}, best first. Raises NotFound."""
        await self._projects.get(project_id, owner_id=owner_id)
        rows = await self._engine.reader.read(
            search_passages, project_id=project_id, words=search_words(query), limit=limit
        )
        return [
            {
                "document_id": row["document_id"], "passage": row["number"], "title": row["title"],
                "place": row["place"], "snippet": row["snippet"], "score": round(float(row["score"]), 6),
            }
            for row in rows
        ]  # fmt: skip

    async def _text_of(self, filename: str, source: Source) -> tuple[str, str]:
        """Return (Markdown, the document's own title or an empty text)."""
        request = ExecutorRequest.model_validate(
            {
                "task_id": self._engine.mint.mint("tsk"), "executor_type": "document_processor",
                "task": {
                    "task_type": "read_document", "filename": filename, "mime_type": source.mime_type,
                    "content_base64": base64.b64encode(source.content).decode(),
                },
                "constraints": {"timeout_ms": _TIMEOUT_MS},
            }
        )  # fmt: skip
        result = await self._run_executor(request)
        if result.status != "failed" and result.result is not None:
            text = str(result.result["content"]).replace("\x00", "")
            return text, str(result.result.get("title") or "")
        code = result.error.code if result.error is not None else ErrorCode.DOCUMENT_ERROR
        message = result.error.message if result.error is not None else "The document cannot be read"
        if code == ErrorCode.DOCUMENT_TOO_LARGE:
            raise TooLarge(message)
        raise InvalidInput(
            f"{filename!r}: {message}", detail=[{"field": "file", "rule": message, "type": str(code)}]
        )


def _plain(name: str) -> str:
    """Return a name without folders and control characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(character for character in last if character.isprintable()).strip()


def document_to_wire(row: Record) -> dict[str, Any]:
    """Return a document without its text."""
    return {
        "document_id": row["id"], "project_id": row["project_id"], "title": row["title"],
        "filename": row["filename"], "mime_type": row["mime_type"], "size_bytes": row["size_bytes"],
        "characters": row["characters"], "passages": row["passages"], "created_by": row["created_by"],
        "created_at": to_iso(row["created_at_ms"]),
    }  # fmt: skip
