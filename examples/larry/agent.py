"""Larry: the agent worker, with an action for everything that he can do."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from examples.larry import contact, papers, research
from examples.larry.desk import Desk
from tercet.worker import Worker

ACTIONS = {
    "search_google_maps": research.search_google_maps,
    "web_scrape": research.web_scrape,
    "analyze_website": research.analyze_website,
    "manage_csv": research.manage_csv,
    "send_email": contact.send_email,
    "make_phone_call": contact.make_phone_call,
    "schedule_calendar_event": contact.schedule_calendar_event,
    "document_findings": papers.document_findings,
    "create_wireframes": papers.create_wireframes,
    "build_quote": papers.build_quote,
    "draft_document": papers.draft_document,
    "perform_task": papers.perform_task,
}


def hire_larry(url: str, token: str, desk: Desk, *, log_file: Path) -> Worker:
    """Register Larry at a server; call `run` or `arun` of what it returns."""
    larry = Worker.register(
        url, token=token, name="larry", agent_id="agent_larry_001", role="Software contractor",
        capabilities=list(ACTIONS), log_file=log_file,
    )  # fmt: skip
    for name, do in ACTIONS.items():
        larry.action(name)(partial(do, desk))
    return larry
