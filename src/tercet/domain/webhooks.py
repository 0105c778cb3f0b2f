"""Signed messages by Standard Webhooks: the same rules for what goes out and for what comes in."""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook

from tercet.domain.errors import InvalidInput, NotAuthenticated

TOLERANCE_SECONDS = 300
"""How far a message's timestamp may lie from now, in both directions."""
_PREFIX = "whsec_"
_NEW_KEY_BYTES = 32
_FEWEST_KEY_BYTES, _MOST_KEY_BYTES = 24, 64
_LONGEST_ID = 200


def new_secret(random_bytes: Callable[[int], bytes] = os.urandom) -> str:
    """Return a signing secret: `whsec_` and 32 random bytes in base64."""
    return _PREFIX + base64.b64encode(random_bytes(_NEW_KEY_BYTES)).decode()


def check_secret(secret: str) -> str:
    """Return the secret if it is `whsec_` and 24 to 64 bytes in base64. Raises InvalidInput."""
    try:
        key = (
            base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
            if secret.startswith(_PREFIX)
            else b""
        )
    except (binascii.Error, ValueError):
        key = b""
    if not _FEWEST_KEY_BYTES <= len(key) <= _MOST_KEY_BYTES:
        rule = f"must be {_PREFIX} and {_FEWEST_KEY_BYTES} to {_MOST_KEY_BYTES} bytes in base64"
        raise InvalidInput(
            f"secret: {rule}",
            hint="leave it out to have one made",
            detail=[{"field": "secret", "rule": rule}],
        )
    return secret


def signed_headers(secret: str, message_id: str, body: str, *, at_seconds: int) -> dict[str, str]:
    """Return the three headers that vouch for `body`, signed at `at_seconds` (Unix time)."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at_seconds),
        "webhook-signature": _signature(secret, message_id, at_seconds, body),
    }


def verify_incoming(headers: Mapping[str, str], body: bytes, secret: str, now_seconds: float) -> str:
    """Return the id of a message whose signature holds and whose time is within 5 minutes. Raises NotAuthenticated.

    A message that is sent again has the same id: whoever acts on it has to remember which ids came.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, stamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not 0 < len(message_id) <= _LONGEST_ID or re.fullmatch(r"[0-9]{1,12}", stamp) is None:
        raise _refused("the webhook's headers are missing or cannot be read")
    if abs(now_seconds - int(stamp)) > TOLERANCE_SECONDS:
        raise _refused("the webhook's timestamp is more than 5 minutes away")
    try:
        expected = _signature(secret, message_id, int(stamp), body.decode())
    except (ValueError, RuntimeError) as error:
        raise _refused("the webhook's signature is not valid") from error
    signatures = given.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in signatures):
        raise _refused("the webhook's signature is not valid")
    return message_id


def _signature(secret: str, message_id: str, at_seconds: int, body: str) -> str:
    return Webhook(secret).sign(message_id, datetime.fromtimestamp(at_seconds, UTC), body)


def _refused(message: str) -> NotAuthenticated:
    return NotAuthenticated(message, hint="Standard Webhooks, within 5 minutes")
