"""Messages to addresses that users gave: signed by Standard Webhooks, never turned inward. One attempt a call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import httpx

from tercet.domain.errors import InvalidInput
from tercet.domain.webhooks import signed_headers
from tercet.tools.addresses import RefusedAddress, check_url
from tercet.tools.safe_http import Answer, Reach, Request, TooMuchData, checked_address, resolve, send

_TIMEOUT_SECONDS = 15.0
_MOST_ANSWER_BYTES = 64_000
_GONE = 410
_PUBLIC = Reach()


class DeliveryFailed(Exception):
    """The message was not taken. The text is fit for the one who gave the address."""

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(reason)
        self.status = status
        """What the receiver answered, if it did."""
        self.retry_after_seconds = retry_after_seconds
        """What the receiver asked for."""
        self.final = final
        """Whether another attempt is pointless."""


async def deliver(
    url: str,
    secret: str,
    message_id: str,
    body: str,
    *,
    reach: Reach = _PUBLIC,
    now_seconds: float | None = None,
    timeout_seconds: float = _TIMEOUT_SECONDS,
) -> int:
    """Post `body` (JSON text), signed; return the status, always 2xx. Raises DeliveryFailed.

    Retries are the caller's. They keep `message_id`, so that receivers see a double; the timestamp is new each time.
    """
    at_seconds = int(time.time() if now_seconds is None else now_seconds)
    headers = signed_headers(secret, message_id, body, at_seconds=at_seconds)
    return await post_json(url, body, reach=reach, headers=headers, timeout_seconds=timeout_seconds)


async def post_json(
    url: str,
    body: str,
    *,
    reach: Reach = _PUBLIC,
    headers: Mapping[str, str] | None = None,
    timeout_seconds: float = _TIMEOUT_SECONDS,
) -> int:
    """Post JSON text; return the status, always 2xx. Redirects count as failures. Raises DeliveryFailed."""
    request = Request(
        method="POST",
        url=url,
        headers={"Content-Type": "application/json", "User-Agent": "tercet", **(headers or {})},
        content=body.encode(),
        timeout_seconds=timeout_seconds,
        max_bytes=_MOST_ANSWER_BYTES,
        max_redirects=0,
    )
    try:
        answer = await send(request, reach)
    except RefusedAddress as error:
        raise DeliveryFailed(f"the address is not allowed: {error}") from error
    except TooMuchData as error:
        raise DeliveryFailed("the answer is too large") from error
    except (TimeoutError, httpx.TimeoutException) as error:
        raise DeliveryFailed(f"no answer within {timeout_seconds:g} seconds") from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise DeliveryFailed("the address cannot be reached") from error
    if not 200 <= answer.status < 300:
        raise DeliveryFailed(
            f"the receiver answered {answer.status}",
            status=answer.status,
            retry_after_seconds=_retry_after_seconds(answer),
            final=answer.status == _GONE,
        )
    return answer.status


async def check_receiver(url: str, *, reach: Reach = _PUBLIC) -> None:
    """Refuse a URL that leads nowhere a message may go; a name that is not known yet may pass. Raises InvalidInput."""
    try:
        await checked_address(check_url(url), reach, resolve)
    except RefusedAddress as error:
        detail = [{"field": "url", "rule": str(error)}]
        raise InvalidInput(
            f"url: {error}",
            hint="TERCET_TOOL_NETWORKS names networks that are allowed all the same",
            detail=detail,
        ) from error
    except OSError:
        return


def _retry_after_seconds(answer: Answer) -> float | None:
    """Read Retry-After in both of its forms (RFC 9110, 10.2.3)."""
    value = answer.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
