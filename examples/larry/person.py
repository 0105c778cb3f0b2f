"""Mark, a person: answers the inbox over HTTP, as somebody at the dashboard would."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from examples.larry.desk import QUALIFIED, Desk
from examples.larry.town import GONE

_INTERESTED = ("Carol Whitfield", "Dana Ortiz", "Hazel Novak")
_TALKS = {
    "Carol Whitfield": ("three paper ledgers", ["Pedigrees", "Waiting list", "Health records"]),
    "Dana Ortiz": ("a spreadsheet", ["Litter calendar", "Invoices"]),
    "Hazel Novak": ("memory", ["Customers", "Photos of puppies"]),
}
_LOOK_SECONDS = 0.1


class Mark:
    """Decides every approval that comes; `decisions` is what was said, in the order of its coming."""

    def __init__(self, url: str, token: str, desk: Desk) -> None:
        self._http = httpx.AsyncClient(
            base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=10
        )
        self._desk = desk
        self.decisions: list[tuple[str, str]] = []

    async def work(self) -> None:
        """Look into the inbox until cancelled."""
        async with self._http as http:
            while True:
                listed = (
                    (await http.get("/approvals", params={"status": "pending"})).raise_for_status().json()
                )
                for entry in listed["items"]:
                    await self._decide(entry["approval_id"])
                await asyncio.sleep(_LOOK_SECONDS)

    async def _decide(self, approval_id: str) -> None:
        shown = (await self._http.get(f"/approvals/{approval_id}")).raise_for_status().json()
        told, words = self._answer(shown["items"][0]["data"])
        body = {"decision": "approve", "digest": shown["digest"], **told}
        (await self._http.post(f"/approvals/{approval_id}/decision", json=body)).raise_for_status()
        self.decisions.append((shown["title"], words))

    def _answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return the decision besides `approve`, and it in words."""
        if asked.get("error_type") == "address_refused":
            params = {**asked["params"], "instead": {GONE: "office@birch-hill.example.org"}}
            return {"option": "approve_alternative_email", "edits": {"params": params}}, "another address"
        if asked.get("error_type") == "no_answer":
            return {"option": "approve_suggestion_1", "feedback": "she will write"}, "leave it open"
        if "output" not in asked:
            return {}, "go ahead"
        if asked["action"] == "make_phone_call":
            name = self._desk.read(QUALIFIED)[asked["params"]["number"] - 1]["contact_name"]
            outcome = "interested" if name in _INTERESTED else "not_interested"
            output = {"contact_name": name, "outcome": outcome, "notes": "called on Tuesday"}
            return {"edits": {"output": output}}, f"called {name}: {outcome.replace('_', ' ')}"
        talks = [
            {"contact_name": row["contact_name"], "today": today, "wishes": wishes}
            for row in self._desk.interested()
            for today, wishes in [_TALKS[row["contact_name"]]]
        ]
        return {"edits": {"output": {"interviews": talks}}}, f"held {len(talks)} interviews"
