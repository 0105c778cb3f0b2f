"""How a message gets out: to a webhook, by e-mail, into Slack. One attempt a call; retries are the outbox's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.tool import ToolFailed
from tercet.humans.subscriptions import Subscription, Subscriptions
from tercet.tools.email import EmailTool
from tercet.tools.safe_http import Reach
from tercet.tools.webhooks import DeliveryFailed, deliver, post_json

_TITLES = {
    "approval.requested": "a decision is needed",
    "approval.escalated": "a decision was escalated",
    "execution.blocked": "an execution waits for a person",
    "execution.failed": "an execution failed",
    "execution.completed": "an execution is complete",
    "execution.cancelled": "an execution was cancelled",
    "task.failed": "a task failed; retry or skip it",
    "task.blocked": "an agent is blocked",
    "agent.silent": "an agent fell silent; its work is offered again",
    "webhook.test": "a test",
}
_LINES = (
    "name",
    "handler",
    "title",
    "message",
    "execution_id",
    "task_id",
    "approval_id",
    "expires_at",
    "link",
)
_LONGEST_SUBJECT = 200


@dataclass(frozen=True, kw_only=True)
class Message:
    """One delivery: its id, the same in every attempt, and its body (JSON text)."""

    id: str
    body: str


SendMessage = Callable[[Subscription, Message], Awaitable[int | None]]
"""Returns the receiver's status if the channel has one. Raises DeliveryFailed."""


class Channels:
    """Sends a message the way its subscription says."""

    def __init__(self, subscriptions: Subscriptions, email: EmailTool, reach: Reach) -> None:
        self._subscriptions = subscriptions
        self._email = email
        self._reach = reach

    async def __call__(self, subscription: Subscription, message: Message) -> int | None:
        """Send; return the receiver's status if there is one. Raises DeliveryFailed, CannotOpen."""
        if subscription.channel == "email":
            await self._mail(subscription, message)
            return None
        secret = self._subscriptions.secret_of(subscription)
        if subscription.channel == "slack":
            return await post_json(secret, to_json({"text": _plain(message, escape=True)}), reach=self._reach)
        return await deliver(subscription.target, secret, message.id, message.body, reach=self._reach)

    async def _mail(self, subscription: Subscription, message: Message) -> None:
        content: dict[str, Any] = from_json(message.body)
        data = content["data"]
        about = data.get("title") or data.get("name")
        subject = f"[Tercet] {_TITLES[content['type']]}" + (f": {about}" if about else "")
        arguments = {
            "to": subscription.target,
            "subject": " ".join(subject.split())[:_LONGEST_SUBJECT],
            "body": _plain(message),
        }
        try:
            answer = await self._email.call(arguments, idempotency_key=message.id)
        except ToolFailed as error:
            raise DeliveryFailed(str(error)) from error
        if answer["refused"]:
            raise DeliveryFailed("the mail server refused the address")


def _plain(message: Message, *, escape: bool = False) -> str:
    """Return the message for people. `escape` for Slack, where &, < and > begin links and mentions."""
    content: dict[str, Any] = from_json(message.body)
    data = content["data"]
    lines = [f"Tercet: {_TITLES[content['type']]}."]
    lines += [f"{name.replace('_', ' ')}: {data[name]}" for name in _LINES if data.get(name)]
    text = "\n".join(lines)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") if escape else text
