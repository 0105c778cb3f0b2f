"""The world around Larry, on this machine: a map, websites and a mailbox over HTTP, and an SMTP server.

All people, addresses and numbers are invented.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

_PLACES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "places.json").read_bytes())
_PAGE = 10
GONE = "carol@birch-hill.example.org"
"""The SMTP server refuses this address."""
_SIGNERS = {"dana@willow-creek.example.org": "Dana Ortiz", "office@birch-hill.example.org": "Carol Whitfield"}
"""They answer a proposal, and sign."""
_BUSY_AT_FIRST = "harrow-farm"
"""This website is down when it is asked for the first time."""
_SITES = {
    "old": "<table><tr><td>Welcome!</td></tr></table><p>&copy; 2009</p>",
    "plain": '<meta name="viewport"><p>Our dogs</p><p>&copy; 2021</p>',
    "good": '<meta name="viewport"><form action="/contact"></form><p>&copy; 2024</p>',
    "modern": '<meta name="viewport"><form action="/contact"></form><a href="/booking">Book a visit</a>',
}


class Town:
    """The HTTP side as an ASGI app (`app`), and the SMTP server; every accepted message becomes a file."""

    def __init__(self, mail_folder: Path) -> None:
        self._mail_folder = mail_folder
        self._answers: list[dict[str, str]] = []
        self._was_busy = False
        self.messages = 0
        self.refused = 0
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.smtp_port: int = probe.getsockname()[1]
        self._controller = Controller(self, hostname="127.0.0.1", port=self.smtp_port)
        self.app = Starlette(
            routes=[
                Route("/search", self._search),
                Route("/inbox/{address}", self._inbox),
                Route("/", self._site),
            ]
        )

    def start(self) -> None:
        """Take mail."""
        self._controller.start()

    def stop(self) -> None:
        """Take no more mail."""
        self._controller.stop()

    async def handle_RCPT(  # noqa: N802 aiosmtpd's name for it
        self, _server: SMTP, _session: Any, envelope: Any, address: str, _options: list[str]
    ) -> str:
        """Refuse the address that is gone."""
        if address == GONE:
            self.refused += 1
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 aiosmtpd's name for it
        self, _server: SMTP, _session: Any, envelope: Any
    ) -> str:
        """Keep the message; who signs answers a proposal."""
        to = envelope.rcpt_tos[0]
        self.messages += 1
        (self._mail_folder / f"{self.messages:02d}-{to}.eml").write_bytes(envelope.content)
        if b"Proposal for" in envelope.content and to in _SIGNERS:
            self._answers.append({"from": _SIGNERS[to], "text": "That is what we need: we sign."})
        return "250 OK"

    async def _search(self, request: Request) -> Response:
        page = int(request.query_params["page"])
        begin = (page - 1) * _PAGE
        shown = [
            {name: value for name, value in place.items() if name != "site"}
            for place in _PLACES[begin : begin + _PAGE]
        ]
        is_last = begin + _PAGE >= len(_PLACES)
        return JSONResponse({"places": shown, "next_page": None if is_last else page + 1})

    async def _inbox(self, _request: Request) -> Response:
        return JSONResponse(self._answers)

    async def _site(self, request: Request) -> Response:
        host = request.headers["host"].split(".")[0]
        if host == _BUSY_AT_FIRST and not self._was_busy:
            self._was_busy = True
            return Response(status_code=503)
        place = next(
            (place for place in _PLACES if place["website_url"] == f"http://{host}.example.org/"), None
        )
        if place is None:
            return Response(status_code=404)
        return HTMLResponse(f"<title>{place['name']}</title>{_SITES[place['site']]}")
