"""The `email` tool: sends one message over SMTP."""

from __future__ import annotations

import hashlib
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any

import aiosmtplib

from tercet.domain.tool import ToolFailed

_ADDRESS = {"type": "string", "format": "email", "maxLength": 254}

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


class EmailTool:
    """Sends plain text mail. The Message-ID follows from the idempotency key, so receivers can see a double."""

    name = "email"
    description = "Sends an e-mail."
    version = "1"
    side_effects = True

    def __init__(self, *, host: str, port: int, sender: str, timeout_seconds: float = 20.0) -> None:
        self.input_schema = _INPUT_SCHEMA
        self._host, self._port, self._sender = host, port, sender
        self._timeout_seconds = timeout_seconds

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Send; return {message_id, recipients, refused}. `refused` names who the server would not take."""
        try:
            message, recipients = self._compose(arguments, idempotency_key)
        except (ValueError, UnicodeError) as error:
            raise ToolFailed(f"The message cannot be written: {error}") from error
        try:
            refused, _ = await aiosmtplib.send(
                message, hostname=self._host, port=self._port, timeout=self._timeout_seconds, start_tls=False
            )
        except aiosmtplib.SMTPException as error:
            raise ToolFailed(f"The mail server did not take the message: {type(error).__name__}") from error
        except OSError as error:
            raise ToolFailed("The mail server cannot be reached") from error
        return {"message_id": message["Message-ID"], "recipients": recipients, "refused": sorted(refused)}

    def _compose(self, arguments: dict[str, Any], idempotency_key: str) -> tuple[EmailMessage, list[str]]:
        to = [arguments["to"]] if isinstance(arguments["to"], str) else list(arguments["to"])
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
