"""The `http_request` tool: HTTP to the public internet, and nowhere else (spec 3, HTTPRequestTool)."""

from __future__ import annotations

import copy
import ssl
from typing import Any
from urllib.parse import urlencode

import httpx

from tercet.domain.codec import from_json, to_json
from tercet.domain.tool import ToolFailed
from tercet.tools.addresses import LONGEST_URL, RefusedAddress
from tercet.tools.base import ToolBase
from tercet.tools.safe_http import Answer, Request, Resolve, TooManyRedirects, TooMuchData, resolve, send
from tercet.tools.sandbox import ToolSandbox

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
_LONGEST_SECONDS = 300
_MOST_REDIRECTS = 20
_MOST_BYTES = 1_000_000
_SHOWN_HEADERS = frozenset(
    {
        "content-type",
        "content-length",
        "date",
        "etag",
        "last-modified",
        "location",
        "retry-after",
        "cache-control",
        "link",
    }
)
_FORBIDDEN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te"})

_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "method": {"type": "string", "enum": list(METHODS), "default": "GET"},
        "url": {"type": "string", "maxLength": LONGEST_URL},
        "headers": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 8_000}, "maxProperties": 50},
        "params": {"type": "object", "maxProperties": 100},
        "data": {"anyOf": [{"type": "object"}, {"type": "string"}], "description": "a form, or the raw body"},
        "json": {"description": "the body as JSON"},
        "timeout": {"type": "integer", "minimum": 1, "maximum": _LONGEST_SECONDS, "default": 30, "description": "seconds"},
        "max_redirects": {"type": "integer", "minimum": 0, "maximum": _MOST_REDIRECTS, "default": 5},
        "verify_ssl": {"type": "boolean", "default": True},
        "follow_redirects": {"type": "boolean", "default": True},
    },
    "required": ["url"],
    "additionalProperties": False,
}  # fmt: skip


class HTTPRequestTool(ToolBase):
    """Sends one request. The answer is {status, url, headers, body, json?, redirects}; 4xx and 5xx are answers."""

    def __init__(
        self,
        sandbox: ToolSandbox | None = None,
        *,
        resolver: Resolve = resolve,
        allow_insecure: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(
            name="http_request",
            description="Sends an HTTP request to a public address and returns status, headers and body.",
            input_schema=_INPUT_SCHEMA,
            side_effects=True,
            timeout_seconds=float(_LONGEST_SECONDS + 5),
            prose_fields=frozenset({"data", "json"}),
        )
        self._sandbox = sandbox or ToolSandbox()
        self._resolver = resolver
        self._allow_insecure = allow_insecure
        self._tls = tls

    def within(self, sandbox: ToolSandbox) -> HTTPRequestTool:
        """Return the same tool with the reach of another sandbox."""
        own = copy.copy(self)
        own._sandbox = sandbox
        return own

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        """Reading methods change nothing (RFC 9110 §9.2.1)."""
        return arguments.get("method", "GET") not in ("GET", "HEAD", "OPTIONS")

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Send it. Raises ToolFailed with the rule that refused it; credentials never appear in messages."""
        request = self._request(arguments, idempotency_key)
        try:
            answer = await send(request, self._sandbox.reach, resolver=self._resolver)
        except RefusedAddress as error:
            raise ToolFailed(f"The request is refused: {error}") from error
        except (TooManyRedirects, TooMuchData) as error:
            raise ToolFailed(f"The request failed: {error}") from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ToolFailed("The server did not answer in time") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise ToolFailed(f"The server cannot be reached: {type(error).__name__}") from error
        return _to_wire(answer)

    def _request(self, arguments: dict[str, Any], idempotency_key: str) -> Request:
        if "data" in arguments and "json" in arguments:
            raise ToolFailed("Give either data or json, not both")
        if arguments.get("verify_ssl", True) is False and not self._allow_insecure:
            raise ToolFailed("verify_ssl: false is not allowed here; the operator can allow it")
        method = arguments.get("method", "GET")
        headers = {str(k): str(v) for k, v in (arguments.get("headers") or {}).items()}
        bad = [name for name in headers if name.lower() in _FORBIDDEN_HEADERS or not _is_token(name)]
        if bad or any("\r" in value or "\n" in value for value in headers.values()):
            raise ToolFailed(
                f"The headers cannot be sent: {', '.join(bad)[:200] or 'a value has a line break'}"
            )
        content = None
        if "json" in arguments:
            content = to_json(arguments["json"]).encode()
            headers.setdefault("Content-Type", "application/json")
        elif isinstance(arguments.get("data"), dict):
            content = urlencode(arguments["data"], doseq=True).encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        elif "data" in arguments:
            content = arguments["data"].encode()
        if method in ("POST", "PUT", "PATCH"):
            headers.setdefault("Idempotency-Key", idempotency_key)
        follow = arguments.get("follow_redirects", True)
        return Request(
            method=method,
            url=arguments["url"],
            headers=headers,
            params=arguments.get("params"),
            content=content,
            timeout_seconds=float(arguments.get("timeout", 30)),
            max_bytes=_MOST_BYTES,
            max_redirects=int(arguments.get("max_redirects", 5)) if follow else 0,
            verify_ssl=arguments.get("verify_ssl", True),
            tls=self._tls,
        )


def _is_token(name: str) -> bool:
    return bool(name) and name.isascii() and all(c.isalnum() or c in "!#$%&'*+-.^_`|~" for c in name)


def _to_wire(answer: Answer) -> dict[str, Any]:
    kind = answer.headers.get("content-type", "")
    out: dict[str, Any] = {
        "status": answer.status,
        "url": answer.url,
        "headers": {k: v for k, v in answer.headers.items() if k.lower() in _SHOWN_HEADERS},
        "redirects": answer.redirects,
    }
    text = _text(answer.body, kind)
    if "json" in kind:
        try:
            return {**out, "json": from_json(text)}
        except ValueError:
            pass
    return {**out, "body": text}


def _text(body: bytes, content_type: str) -> str:
    _, _, charset = content_type.partition("charset=")
    try:
        return body.decode(charset.split(";")[0].strip(' "') or "utf-8")
    except (UnicodeDecodeError, LookupError):
        return body.decode("utf-8", "replace")
