"""Addresses without a version mean the one that there is: `/api/x` is `/api/v1/x` (spec 5 writes them so)."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

_SHORT, _FULL = "/api/", "/api/v1/"
_AS_THEY_ARE = ("/api/v1/", "/api/openapi.json")


class ApiPrefix:
    """Rewrites the path before routing, so that every route is matched against one list."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if path.startswith(_SHORT) and not path.startswith(_AS_THEY_ARE):
            raw = scope.get("raw_path") or path.encode()
            scope = {
                **scope,
                "path": _FULL + path[len(_SHORT) :],
                "raw_path": _FULL.encode() + raw[len(_SHORT) :],
            }
        await self._app(scope, receive, send)
