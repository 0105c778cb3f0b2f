"""Posting messages and following what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tercet.agent.runs import AgentRuns
from tercet.chat.definition import MESSAGE_EVENT, REVISION_ID, ChatDefinition
from tercet.chat.documents import ReadDocument
from tercet.chat.messages import LONGEST_MESSAGE, add_message, message_row, message_to_wire, title_of
from tercet.chat.projects import Projects, add_chat, chat_row
from tercet.chat.services import ChatServices
from tercet.domain.codec import digest, from_json
from tercet.domain.errors import Conflict, InvalidInput, NotFound
from tercet.domain.status import EXECUTION_ENDED, ExecutionStatus
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.store.approvals import open_items_of
from tercet.store.chats import answer_of, load_document, messages_after, newest_seq
from tercet.store.executions import find_event_key
from tercet.store.listing import root_event
from tercet.store.reader import Record
from tercet.store.unit import Unit

_MOST_ATTACHMENTS = 10
_MOST_AT_ONCE = 500
_MOST_TRIES = 5
_LOOK_AGAIN_SECONDS = 2.0
ChatEvent = tuple[str, dict[str, Any]]
"""(kind, data): see docs/reference/chat.md."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted:
    """A message that is on disk, and the execution that works on it."""

    execution_id: str
    conversation_id: str
    message_id: str
    seq: int
    duplicate: bool = False

    def to_wire(self) -> dict[str, Any]:
        """Return {execution_id, conversation_id, message_id, duplicate}."""
        return {
            "execution_id": self.execution_id, "conversation_id": self.conversation_id,
            "message_id": self.message_id, "duplicate": self.duplicate,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Post:
    """A message to post. `conversation_id` None begins a conversation."""

    project_id: str
    message: str
    conversation_id: str | None = None
    attachments: tuple[str, ...] = ()
    """Ids of documents of the project."""
    documents: tuple[ReadDocument, ...] = ()
    """Documents that come with the message: stored in the same commit."""
    idempotency_key: str | None = None


class Chats:
    """Starts turns and follows them."""

    def __init__(
        self, engine: Engine, intake: Intake, services: ChatServices, projects: Projects, runs: AgentRuns
    ) -> None:
        self._engine = engine
        self._intake = intake
        self._services = services
        self._projects = projects
        self._runs = runs
        self.definition = ChatDefinition(services)
        self._closing = False

    def close_streams(self) -> None:
        """End every stream soon: the server stops, and would wait for those who read."""
        self._closing = True

    async def post(
        self, post: Post, *, owner_id: str, user: str, new_conversation_id: str | None = None
    ) -> Posted:
        """Persist the message and start its turn: one commit. The same idempotency key posts once.

        `new_conversation_id` is the id of the conversation that a message without one begins.

        Raises NotFound, InvalidInput, Conflict (a key that was used for something else).
        """
        text = post.message.replace("\x00", "").strip()
        if not text or len(text) > LONGEST_MESSAGE:
            rule = f"has 1 to {LONGEST_MESSAGE:,} characters"
            raise InvalidInput(f"message: {rule}", detail=[{"field": "message", "rule": rule}])
        await self._projects.get(post.project_id, owner_id=owner_id)
        await self._check_attachments(post, owner_id)
        new_id = new_conversation_id or self._engine.mint.mint("cnv")
        body = digest([post.project_id, post.conversation_id, text, post.attachments, _contents(post)])
        key = f"chat-key:{owner_id}:{post.idempotency_key or new_id}"
        async with self._services.locks.hold(key):
            for _ in range(_MOST_TRIES):
                known = await self._known(owner_id, post.idempotency_key, body)
                if known is not None:
                    return known
                # Another node may have taken the key or the message's number in between.
                with suppress(Conflict):
                    return await self._start(post, text, body, new_id, owner_id=owner_id, user=user)
        raise Conflict("the conversation is written to by many at once", hint="send the message again")

    async def _start(
        self, post: Post, text: str, body: str, new_id: str, *, owner_id: str, user: str
    ) -> Posted:
        engine, unit = self._engine, Unit()
        attachments = [*post.attachments, *(document.row["id"] for document in post.documents)]
        conversation_id = post.conversation_id or new_id
        execution_id, message_id = engine.mint.mint("exe"), engine.mint.mint("msg")
        definition = await engine.definition_by_id(REVISION_ID)
        async with self._services.locks.hold(f"conversation:{conversation_id}"):
            now_ms = engine.clock.now_ms()
            seq = 1
            if post.conversation_id is None:
                add_chat(
                    unit,
                    chat_row(
                        conversation_id, owner_id=owner_id, project_id=post.project_id, title=title_of(text),
                        now_ms=now_ms,
                    ),
                )  # fmt: skip
            else:
                chat = await self._projects.conversation(conversation_id, owner_id=owner_id)
                if chat["project_id"] != post.project_id:
                    raise NotFound(f"there is no conversation {conversation_id!r} in {post.project_id!r}")
                seq += await engine.reader.read(newest_seq, conversation_id)
            row = message_row(
                conversation_id=conversation_id, seq=seq, role="user", content=text, execution_id=execution_id,
                at_ms=now_ms, message_id=message_id, detail={"attachments": attachments},
            )  # fmt: skip
            add_message(unit, row)
            for document in post.documents:
                if document.is_new:
                    document.add_to(unit)
            data = {
                "project_id": post.project_id, "conversation_id": conversation_id, "message_id": message_id,
                "seq": seq, "attachments": attachments, "user": user, "digest": body,
            }  # fmt: skip
            await self._intake.start_execution(
                definition, manifest_id=REVISION_ID, owner_id=owner_id, name=MESSAGE_EVENT, data=data, source=user,
                idempotency_key=post.idempotency_key, extra=unit, execution_id=execution_id,
            )  # fmt: skip
        wire = {"execution_id": execution_id, **message_to_wire(row)}
        self._services.agents.feed.tell(conversation_id, "message.persisted", wire)
        return Posted(
            execution_id=execution_id, conversation_id=conversation_id, message_id=message_id, seq=seq
        )

    async def _known(self, owner_id: str, key: str | None, body: str) -> Posted | None:
        if key is None:
            return None
        row = await self._engine.reader.read(find_event_key, owner_id, key)
        if row is None:
            return None
        root = await self._engine.reader.read(root_event, row["execution_id"])
        data: dict[str, Any] = {} if root is None else from_json(root["output_data"])
        if data.get("digest") != body:
            raise Conflict(
                f"the idempotency key {key!r} was used for another message",
                hint="use a new key for new content",
            )
        return Posted(
            execution_id=row["execution_id"], conversation_id=data["conversation_id"],
            message_id=data["message_id"], seq=data["seq"], duplicate=True,
        )  # fmt: skip

    async def _check_attachments(self, post: Post, owner_id: str) -> None:
        if len(post.attachments) + len(post.documents) > _MOST_ATTACHMENTS:
            raise InvalidInput(f"a message has at most {_MOST_ATTACHMENTS} attachments")
        for document_id in post.attachments:
            row = await self._engine.reader.read(load_document, owner_id=owner_id, document_id=document_id)
            if row is None or row["project_id"] != post.project_id:
                raise NotFound(f"there is no document {document_id!r} in this project")

    async def wait(self, posted: Posted, *, seconds: float) -> tuple[str, Record | None]:
        """Wait for the answer; return (the execution's status, the answer or None when there is none yet)."""
        waiter = asyncio.create_task(self._runs.wait(posted.execution_id))
        done, _ = await asyncio.wait({waiter}, timeout=seconds)
        if not done:
            waiter.cancel()
        self._services.agents.feed.take_answer(posted.execution_id)
        status = waiter.result() if done else ExecutionStatus.RUNNING
        answer = await self._engine.reader.read(answer_of, posted.conversation_id, posted.execution_id)
        return str(status), answer

    async def open_approvals(self, execution_id: str) -> list[dict[str, Any]]:
        """Return {approval_id, title} of what a turn waits for."""
        items = await self._engine.reader.read(open_items_of, execution_id)
        return [{"approval_id": item["approval_id"], "title": item["title"]} for item in items]

    async def turn_events(self, post: Post, *, owner_id: str, user: str) -> AsyncIterator[ChatEvent]:
        """Post, then yield what happens until the turn has ended. A reader who leaves does not end the turn."""
        new_id = self._engine.mint.mint("cnv")
        # Watching begins before the post, so that nothing of the turn can pass between the two.
        with self._services.agents.feed.watch(post.conversation_id or new_id) as queue:
            posted = await self.post(post, owner_id=owner_id, user=user, new_conversation_id=new_id)
            yield "chat.accepted", posted.to_wire()
            if posted.duplicate and (waiting := await self.open_approvals(posted.execution_id)):
                yield "chat.waiting", {"execution_id": posted.execution_id, "approvals": waiting}
            async for kind, data in self._live(queue, posted.conversation_id, after=posted.seq - 1):
                if data.get("execution_id", posted.execution_id) != posted.execution_id:
                    continue
                yield kind, data
                if kind == "message.persisted" and data["role"] == "assistant":
                    return
                if kind == "keep-alive" and await self._ended_silently(posted):
                    yield "chat.ended", {"execution_id": posted.execution_id}
                    return

    async def conversation_events(
        self, conversation_id: str, *, owner_id: str, after: int
    ) -> AsyncIterator[ChatEvent]:
        """Yield the messages after a number, then everything that happens, without end. Raises NotFound."""
        await self._projects.conversation(conversation_id, owner_id=owner_id)
        with self._services.agents.feed.watch(conversation_id) as queue:
            async for event in self._live(queue, conversation_id, after=after):
                yield event

    async def _live(
        self, queue: asyncio.Queue[dict[str, Any]], conversation_id: str, *, after: int
    ) -> AsyncIterator[ChatEvent]:
        """Yield each message once, in order, whoever wrote it: this process tells, others are looked for."""
        seen, look = after, True
        while not self._closing:
            if look:
                rows = await self._engine.reader.read(
                    messages_after, conversation_id, after=seen, limit=_MOST_AT_ONCE
                )
                for row in rows:
                    seen = row["seq"]
                    yield "message.persisted", message_to_wire(row)
                look = len(rows) == _MOST_AT_ONCE
            try:
                event = await asyncio.wait_for(queue.get(), _LOOK_AGAIN_SECONDS)
            except TimeoutError:
                look = True
                yield "keep-alive", {}
                continue
            if event["type"] == "message.persisted":
                look = event["data"]["seq"] > seen
            else:
                yield event["type"], event["data"]

    async def _ended_silently(self, posted: Posted) -> bool:
        """Whether the turn has ended without a message: somebody cancelled it, or deleted the conversation."""
        status, answer = await self.wait(posted, seconds=0.05)
        return answer is None and ExecutionStatus(status) in EXECUTION_ENDED


def _contents(post: Post) -> list[str]:
    return [document.row["digest"] for document in post.documents]
