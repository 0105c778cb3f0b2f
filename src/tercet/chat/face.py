"""Everything of chats that doors use."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.chat.chats import Chats
from tercet.chat.documents import Documents
from tercet.chat.projects import Projects
from tercet.chat.services import ChatServices


@dataclass(frozen=True, kw_only=True)
class ChatFace:
    """A node's chats."""

    projects: Projects
    documents: Documents
    chats: Chats
    services: ChatServices
