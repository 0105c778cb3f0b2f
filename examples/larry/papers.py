"""What Larry writes: findings, wireframes, quotes, proposals, the report."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from examples.larry.desk import CLIENTS, PROSPECTS, QUALIFIED, SENT, Desk, slug
from tercet.worker import Task

_HOURS_A_WISH = 14
_INTERVIEWS = "task_3_1_a"


def document_findings(desk: Desk, task: Task) -> dict[str, Any]:
    """Write a page on each interview."""
    names = []
    for talk in task.results[_INTERVIEWS]["interviews"]:
        wishes = "".join(f"- {wish}\n" for wish in talk["wishes"])
        text = f"# Interview with {talk['contact_name']}\n\nToday: {talk['today']}\n\n## Wishes\n\n{wishes}"
        names.append(desk.write_text(f"{task.params['folder']}/{slug(talk['contact_name'])}.md", text))
    return {"documents": names}


def create_wireframes(desk: Desk, task: Task) -> dict[str, Any]:
    """Draw a page for each prospect: one box a wish."""
    names = []
    for talk in task.results[_INTERVIEWS]["interviews"]:
        boxes = "".join(
            f'<rect x="20" y="{20 + 70 * n}" width="360" height="50" fill="none" stroke="black"/>'
            f'<text x="35" y="{50 + 70 * n}">{escape(wish)}</text>'
            for n, wish in enumerate(talk["wishes"])
        )
        height = 40 + 70 * len(talk["wishes"])
        picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="{height}">{boxes}</svg>\n'
        names.append(desk.write_text(f"{task.params['folder']}/{slug(talk['contact_name'])}.svg", picture))
    return {"wireframes": names}


def build_quote(desk: Desk, task: Task) -> dict[str, Any]:
    """Write what each system costs: so many hours a wish."""
    rate_usd = int(task.params["hourly_rate_usd"])
    rows = [
        {
            "contact_name": talk["contact_name"],
            "hours": str(_HOURS_A_WISH * len(talk["wishes"])),
            "price_usd": str(_HOURS_A_WISH * len(talk["wishes"]) * rate_usd),
        }
        for talk in task.results[_INTERVIEWS]["interviews"]
    ]
    desk.write(task.params["file_path"], rows)
    return {"quotes": rows}


def draft_document(desk: Desk, task: Task) -> dict[str, Any]:
    """Write the proposals."""
    results = task.results
    wishes = {talk["contact_name"]: talk["wishes"] for talk in results[_INTERVIEWS]["interviews"]}
    names = []
    for quote in results["task_3_2_b"]["quotes"]:
        name = quote["contact_name"]
        listed = "".join(f"- {wish}\n" for wish in wishes[name])
        text = f"# Proposal for {name}\n\n{listed}\n{quote['hours']} hours, ${quote['price_usd']}\n"
        names.append(desk.write_text(f"{task.params['folder']}/{slug(name)}.md", text))
    return {"proposals": names}


def perform_task(desk: Desk, task: Task) -> dict[str, Any]:
    """Do a task that nobody split: the report."""
    qualified, clients = desk.read(QUALIFIED), desk.read(CLIENTS)
    facts = {
        "prospects": len(desk.read(PROSPECTS)),
        "qualified": len(qualified),
        "called": sum(1 for row in qualified if row["status"] != "new"),
        "interested": len(desk.interested()),
        "letters": len(desk.read(SENT)),
        "proposals": len(clients),
        "closed": sum(1 for row in clients if row["status"] == "closed"),
        "pending": sum(1 for row in clients if row["status"] == "pending"),
    }
    lines = "".join(f"| {name} | {count} |\n" for name, count in facts.items())
    desk.write_text("REPORT.md", f"# {task.title}\n\n| what | how many |\n|---|---|\n{lines}")
    return facts
