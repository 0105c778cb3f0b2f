"""Refuses request bodies over the cap before anything reads them whole."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tercet.web.errors import error_body


class _TooLarge(Exception):
    pass


class BodyLimit:
    """ASGI middleware; the cap holds for declared and for streamed bodies."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        read = 0

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._max_bytes:
                raise _TooLarge
            return message

        try:
            await self._app(scope, limited, send)
        except _TooLarge:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = error_body(
            f"the body is larger than {self._max_bytes:,} bytes", "TOO_LARGE", hint="send it in parts"
        )
        await JSONResponse(body, status_code=413)(scope, receive, send)
