"""Serves the built dashboard beside the API: its files, and its page for every other address."""

from __future__ import annotations

import gzip
import mimetypes
import secrets
from functools import lru_cache
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

ASSETS = Path(__file__).parent / "dashboard_assets"
_OTHER_DOORS = ("/api", "/healthz", "/readyz", "/metrics")
_NONCE = "CSP_NONCE"
"""What the build puts where the nonce of a page belongs."""
_POLICY = (
    "default-src 'none'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    # The graph is laid out in a worker.
    "worker-src 'self'; "
    # Mantine and the code editor add style elements, which carry the page's nonce.
    "style-src 'self' 'nonce-{nonce}'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Dashboard:
    """The answer where no route fits: a file of the build, else the page, which knows its own addresses.

    What belongs to another door, and everything while there is no build, goes on to `otherwise`.
    """

    def __init__(self, otherwise: ASGIApp, assets: Path = ASSETS) -> None:
        self._otherwise = otherwise
        # Only what was there at the start is served: no path of a request ever reaches the disk.
        self._files = {
            f"/{path.relative_to(assets).as_posix()}": path
            for path in assets.rglob("*")
            if path.is_file() and not path.relative_to(assets).parts[0].startswith(".")
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that no route took."""
        page = self._files.get("/index.html")
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or page is None:
            await self._otherwise(scope, receive, send)
            return
        path: str = scope["path"]
        found = self._files.get(path)
        if found is None and (_is_other_door(path) or path.startswith("/assets/")):
            await self._otherwise(scope, receive, send)
            return
        if found is None or found == page:
            response = _page(page)
        else:
            packed = "gzip" in Request(scope).headers.get("accept-encoding", "")
            response = await to_thread.run_sync(_file, found, packed)
        await response(scope, receive, send)


def _is_other_door(path: str) -> bool:
    return any(path == door or path.startswith(f"{door}/") for door in _OTHER_DOORS)


def _page(path: Path) -> Response:
    """Return the page with a nonce of its own."""
    nonce = secrets.token_urlsafe(16)
    return Response(
        path.read_text("utf-8").replace(_NONCE, nonce),
        media_type="text/html",
        headers={
            **_HEADERS,
            "Content-Security-Policy": _POLICY.format(nonce=nonce),
            "Cache-Control": "no-store",
        },
    )


def _file(path: Path, packed: bool) -> Response:
    """Return a file of the build. The names of those under assets/ change with their content."""
    headers = {**_HEADERS, "Vary": "Accept-Encoding"}
    if packed:
        headers["Content-Encoding"] = "gzip"
    lasting = path.parent.name == "assets"
    headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Response(_packed(path) if packed else path.read_bytes(), media_type=media_type, headers=headers)


@lru_cache(maxsize=256)
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), compresslevel=6)
