"""The `email` tool: sends one message, over SMTP or through Resend's HTTP API."""

from __future__ import annotations

import hashlib
import os
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any

import aiosmtplib
import httpx

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase

_ADDRESS = {"type": "string", "format": "email", "maxLength": 254}
_RESEND_URL = "https://api.resend.com"

_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": {"anyOf": [_ADDRESS, {"type": "array", "items": _ADDRESS, "minItems": 1, "maxItems": 50}]},
        "subject": {"type": "string", "maxLength": 998, "pattern": "^[^\\r\\n]*$"},
        "body": {"type": "string", "maxLength": 1_000_000},
        "cc": {"type": "array", "items": _ADDRESS, "maxItems": 50},
        "reply_to": _ADDRESS,
    },
    "required": ["to", "subject", "body"],
    "additionalProperties": False,
}


class EmailTool(ToolBase):
    """Sends plain text mail. The Message-ID follows from the idempotency key, so receivers can see a double.

    What is not given comes from TERCET_SMTP_HOST, TERCET_SMTP_PORT, TERCET_SMTP_SENDER and
    TERCET_RESEND_API_KEY; with a Resend key, Resend sends.
    """

    def __init__(
        self,
        *,
        host: str | None = None,
        port: int | None = None,
        sender: str | None = None,
        resend_api_key: str | None = None,
        resend_url: str = _RESEND_URL,
        timeout_seconds: float = 20.0,
    ) -> None:
        super().__init__(
            name="email",
            description="Sends an e-mail.",
            input_schema=_INPUT_SCHEMA,
            timeout_seconds=timeout_seconds + 5,
            prose_fields=frozenset({"subject", "body"}),
        )
        self._host = host or os.environ.get("TERCET_SMTP_HOST", "127.0.0.1")
        self._port = port or int(os.environ.get("TERCET_SMTP_PORT", "1025"))
        self._sender = sender or os.environ.get("TERCET_SMTP_SENDER", "tercet@localhost")
        self._resend_api_key = resend_api_key or os.environ.get("TERCET_RESEND_API_KEY")
        self._resend_url = resend_url
        self._limit_seconds = timeout_seconds

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Send; return {message_id, recipients, refused}. `refused` names who the server would not take."""
        if self._resend_api_key is not None:
            return await self._send_with_resend(arguments, self._resend_api_key, idempotency_key)
        try:
            message, recipients = self._compose(arguments, idempotency_key)
        except (ValueError, UnicodeError) as error:
            raise ToolFailed(f"The message cannot be written: {error}") from error
        try:
            refused, _ = await aiosmtplib.send(
                message, hostname=self._host, port=self._port, timeout=self._limit_seconds, start_tls=False
            )
        except aiosmtplib.SMTPException as error:
            raise ToolFailed(f"The mail server did not take the message: {type(error).__name__}") from error
        except OSError as error:
            raise ToolFailed("The mail server cannot be reached") from error
        return {"message_id": message["Message-ID"], "recipients": recipients, "refused": sorted(refused)}

    def _compose(self, arguments: dict[str, Any], idempotency_key: str) -> tuple[EmailMessage, list[str]]:
        to = _addresses(arguments["to"])
        message = EmailMessage()
        message["From"] = self._sender
        message["To"] = ", ".join(to)
        if arguments.get("cc"):
            message["Cc"] = ", ".join(arguments["cc"])
        if arguments.get("reply_to"):
            message["Reply-To"] = arguments["reply_to"]
        message["Subject"] = arguments["subject"]
        message["Date"] = formatdate()
        domain = self._sender.rpartition("@")[2].rstrip(">") or "localhost"
        message["Message-ID"] = f"<{hashlib.sha256(idempotency_key.encode()).hexdigest()[:32]}@{domain}>"
        message.set_content(arguments["body"])
        return message, [*to, *arguments.get("cc", [])]

    async def _send_with_resend(
        self, arguments: dict[str, Any], api_key: str, idempotency_key: str
    ) -> dict[str, Any]:
        to = _addresses(arguments["to"])
        body: dict[str, Any] = {
            "from": self._sender, "to": to, "subject": arguments["subject"], "text": arguments["body"],
        }  # fmt: skip
        for name in ("cc", "reply_to"):
            if arguments.get(name):
                body[name] = arguments[name]
        headers = {"Authorization": f"Bearer {api_key}", "Idempotency-Key": idempotency_key[:256]}
        try:
            async with httpx.AsyncClient(timeout=self._limit_seconds) as client:
                response = await client.post(f"{self._resend_url}/emails", json=body, headers=headers)
        except httpx.HTTPError as error:
            raise ToolFailed("Resend cannot be reached") from error
        if response.status_code >= 400:
            raise ToolFailed(f"Resend did not take the message ({response.status_code})")
        return {
            "message_id": response.json().get("id"), "recipients": [*to, *arguments.get("cc", [])], "refused": [],
        }  # fmt: skip


def _addresses(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
