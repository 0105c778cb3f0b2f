"""Reaching people: e-mail, phone, calendar."""

from __future__ import annotations

import smtplib
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any
from xml.sax.saxutils import escape

import httpx
from icalendar import Calendar, Event, vCalAddress

from examples.larry.desk import LARRY, QUALIFIED, SENT, Desk, Row, slug
from tercet.worker import Blocked, NeedsReview, Task

_LETTERS = {
    "interview_request": (
        "Hi {first_name},\n\nthank you for the talk on the phone. I would like to see how you keep your breeding "
        "records and customers today: ninety minutes, by video or at your place.\n\nLarry\n"
    ),
    "proposal": "Hi {first_name},\n\nhere is what I propose after our interview.\n\n{paper}\nLarry\n",
}


def send_email(desk: Desk, task: Task) -> dict[str, Any]:
    """Write to everybody who is interested. Who has the letter already gets none again, whatever the attempt."""
    _note_calls(desk, task)
    template, instead = task.params["template"], task.params.get("instead") or {}
    sent = desk.read(SENT)
    has_letter = {(row["template"], row["contact_name"]) for row in sent}
    with smtplib.SMTP("127.0.0.1", desk.smtp_port, timeout=10) as server:
        for row in desk.interested():
            task.raise_if_stopped()
            if (template, row["contact_name"]) in has_letter:
                continue
            address = instead.get(row["email"], row["email"])
            try:
                server.send_message(_letter(desk, row, address, task))
            except smtplib.SMTPRecipientsRefused as error:
                raise Blocked(
                    f"The address {address} of {row['contact_name']} is refused: {_words(error, address)}",
                    suggestions=["Write to another e-mail address of theirs", f"Call {row['phone']}"],
                    error_type="address_refused",
                ) from error
            sent.append({"template": template, "contact_name": row["contact_name"], "email": address})
            desk.write(SENT, sent)
            if address != row["email"]:
                _update(desk, row["contact_name"], email=address)
            task.progress(f"wrote to {row['contact_name']}")
    return {"sent": sum(1 for row in sent if row["template"] == template)}


def make_phone_call(desk: Desk, task: Task) -> dict[str, Any]:
    """Call one of the list through Twilio, then ask a person how it went. Without Twilio people call themselves."""
    row = desk.read(QUALIFIED)[int(task.params["number"]) - 1]
    if task.review is not None:
        outcome = "interested" if task.review["option"] == "approve_suggestion_1" else "not_interested"
        return {
            "contact_name": row["contact_name"],
            "outcome": outcome,
            "notes": task.review["feedback"] or "",
        }
    if desk.phone is None:
        raise NeedsReview(
            f"Call {row['contact_name']} at {row['phone']}", suggestions=["Is interested", "Is not"]
        )
    said = f"<Response><Say>{escape(task.params['ask'])}</Say><Record/></Response>"
    account = f"{desk.phone.api_url}/2010-04-01/Accounts/{desk.phone.account_sid}"
    answer = httpx.post(
        f"{account}/Calls.json", auth=(desk.phone.account_sid, desk.phone.auth_token), timeout=10,
        data={"To": row["phone"], "From": desk.phone.from_number, "Twiml": said},
    )  # fmt: skip
    if answer.is_error:
        raise Blocked(
            f"Twilio refused the call ({answer.status_code})", suggestions=["Is interested", "Is not"]
        )
    raise NeedsReview(
        f"{row['contact_name']} was called ({answer.json()['sid']}): how did it go?",
        suggestions=["Is interested", "Is not"], error_type="outcome_unknown",
    )  # fmt: skip


def schedule_calendar_event(desk: Desk, task: Task) -> dict[str, Any]:
    """Write an interview a day into an iCalendar file."""
    first = datetime.fromisoformat(task.params["first"])
    length = timedelta(minutes=task.params["duration_minutes"])
    calendar = Calendar()
    calendar.add("prodid", "-//Larry//interviews//EN")
    calendar.add("version", "2.0")
    rows = desk.interested()
    for day, row in enumerate(rows):
        event = Event()
        event.add("uid", f"{task.idempotency_key}:{slug(row['contact_name'])}")
        event.add("dtstamp", datetime.now(UTC))
        event.add("summary", f"Interview: {row['contact_name']}, {row['town']}")
        event.add("dtstart", first + timedelta(days=day))
        event.add("dtend", first + timedelta(days=day) + length)
        event.add("attendee", vCalAddress(f"mailto:{row['email']}"))
        calendar.add_component(event)
    path = task.params["file_path"]
    desk.write_text(path, calendar.to_ical().decode())
    return {"file_path": path, "events": len(rows)}


def _note_calls(desk: Desk, task: Task) -> None:
    """Take over into the list what came of the calls before this task."""
    for result in task.results.values():
        if isinstance(result, dict) and "outcome" in result:
            _update(desk, result["contact_name"], status=result["outcome"])


def _update(desk: Desk, contact_name: str, **cells: str) -> None:
    rows = desk.read(QUALIFIED)
    for row in rows:
        if row["contact_name"] == contact_name:
            row.update(cells)
    desk.write(QUALIFIED, rows)


def _letter(desk: Desk, row: Row, address: str, task: Task) -> EmailMessage:
    template = task.params["template"]
    paper = desk.folder / "proposals" / f"{slug(row['contact_name'])}.md"
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = LARRY, address, task.params["subject"]
    message["Message-ID"] = f"<{slug(row['contact_name'])}.{template}.{task.execution_id}@example.org>"
    message.set_content(
        _LETTERS[template].format(
            first_name=row["contact_name"].split()[0],
            paper=paper.read_text("utf-8") if template == "proposal" else "",
        )
    )
    return message


def _words(error: smtplib.SMTPRecipientsRefused, address: str) -> str:
    return error.recipients[address][1].decode("utf-8", "replace")
