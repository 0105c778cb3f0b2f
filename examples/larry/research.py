"""Finding prospects: the map, their websites, the tables."""

from __future__ import annotations

import re
from typing import Any

import httpx

from examples.larry.desk import CLIENTS, LARRY, PROSPECTS, QUALIFIED, Desk, Row
from tercet.worker import Blocked, Task

_COLUMNS = ("contact_name", "phone", "email", "town", "website_url")
_OLD_BEFORE = 2015


def search_google_maps(desk: Desk, task: Task) -> dict[str, Any]:
    """Return the places that a search finds, page by page."""
    places: list[dict[str, Any]] = []
    page: int | None = 1
    while page is not None:
        query = httpx.QueryParams({"query": task.params["query"], "page": page})
        found = desk.get(f"http://maps.example.org/search?{query}").json()
        places += found["places"]
        page = found["next_page"]
        task.progress(f"{len(places)} places so far")
    return {"places": places, "found": len(places)}


def web_scrape(desk: Desk, task: Task) -> dict[str, Any]:
    """Return what one page shows."""
    return look_at(desk, str(task.params["url"]))


def analyze_website(desk: Desk, task: Task) -> dict[str, Any]:
    """Score from 1 to 5 how much each prospect needs a system: 5 without a website, 1 with one that does it all."""
    rows = desk.read(PROSPECTS)
    for number, row in enumerate(rows, start=1):
        task.raise_if_stopped()
        score, why = score_of(look_at(desk, row["website_url"])) if row["website_url"] else (5, "no website")
        row.update(score=str(score), why=why)
        if number % 10 == 0:
            task.progress(f"{number} of {len(rows)} looked at")
    desk.write(PROSPECTS, rows)
    scores = [row["score"] for row in rows]
    return {"looked_at": len(rows), "scores": {score: scores.count(score) for score in sorted(set(scores))}}


def manage_csv(desk: Desk, task: Task) -> dict[str, Any]:
    """Create the list of prospects, filter it, or close it with the clients."""
    operations = {"create": _create, "filter": _filter, "close": _close}
    return operations[task.params["operation"]](desk, task)


def look_at(desk: Desk, url: str) -> dict[str, Any]:
    """Return what matters about a website."""
    page = desk.get(url).text
    year = re.search(r"&copy; (\d{4})", page)
    return {
        "year": int(year.group(1)) if year else None,
        "fits_phones": 'name="viewport"' in page,
        "has_form": "<form" in page,
        "has_booking": "/booking" in page,
    }


def score_of(site: dict[str, Any]) -> tuple[int, str]:
    """Return the score and why."""
    if site["has_booking"]:
        return 1, "takes bookings online"
    if site["has_form"]:
        return 2, "has a contact form"
    if not site["fits_phones"] and site["year"] is not None and site["year"] < _OLD_BEFORE:
        return 4, f"website of {site['year']}"
    return 3, "plain website"


def _create(desk: Desk, task: Task) -> dict[str, Any]:
    places = task.results[task.params["data"]]["places"]
    rows = [{name: str(place[name]) for name in _COLUMNS} for place in places]
    return {"file_path": PROSPECTS, "rows": desk.write(PROSPECTS, rows)}


def _filter(desk: Desk, task: Task) -> dict[str, Any]:
    least = int(task.params["min_score"])
    kept = [row | {"status": "new"} for row in desk.read(PROSPECTS) if int(row["score"]) >= least]
    if task.params.get("prefer") == "no website":
        kept.sort(key=lambda row: (bool(row["website_url"]), -int(row["score"])))
    return {"file_path": QUALIFIED, "rows": desk.write(QUALIFIED, kept)}


def _close(desk: Desk, task: Task) -> dict[str, Any]:
    answers = {
        answer["from"]: answer["text"] for answer in desk.get(f"http://mail.example.org/inbox/{LARRY}").json()
    }
    clients: list[Row] = []
    for row in desk.interested():
        answer = answers.get(row["contact_name"])
        status = "pending" if answer is None else "closed" if "we sign" in answer else "lost"
        clients.append({"contact_name": row["contact_name"], "status": status, "answer": answer or ""})
    silent = [client["contact_name"] for client in clients if client["status"] == "pending"]
    if silent and task.review is None:
        raise Blocked(
            f"{', '.join(silent)} has not answered the proposal",
            suggestions=["Leave it open as pending", "Give it up as lost"],
            error_type="no_answer",
        )
    if task.review is not None and task.review["option"] == "approve_suggestion_2":
        for client in clients:
            client["status"] = "lost" if client["status"] == "pending" else client["status"]
    desk.write(CLIENTS, clients)
    counts = [client["status"] for client in clients]
    return {"file_path": CLIENTS} | {status: counts.count(status) for status in ("closed", "pending", "lost")}
