"""The `calendar` tool: events in iCalendar files of the workspace (RFC 5545)."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from typing import Any

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase
from tercet.tools.workspace import Workspace

_WHEN = {
    "type": "string",
    "maxLength": 40,
    "description": "ISO 8601, with an offset (2026-11-21T10:00:00+01:00) or a day",
}
_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {"type": "string", "enum": ["add", "list", "remove"]},
        "file_path": {"type": "string", "minLength": 1, "maxLength": 1_000, "default": "calendar.ics"},
        "summary": {"type": "string", "minLength": 1, "maxLength": 500},
        "start": _WHEN,
        "end": _WHEN,
        "location": {"type": "string", "maxLength": 500},
        "description": {"type": "string", "maxLength": 10_000},
        "attendees": {"type": "array", "items": {"type": "string", "format": "email"}, "maxItems": 100},
        "uid": {"type": "string", "maxLength": 200, "description": "remove: which event"},
        "from": _WHEN,
        "to": _WHEN,
    },
    "required": ["operation"],
    "additionalProperties": False,
}  # fmt: skip


class CalendarTool(ToolBase):
    """Adds, lists and removes events. An event's uid follows from the idempotency key: a repeat adds nothing."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="calendar",
            description="Keeps events in an iCalendar file of the workspace: add, list, remove.",
            input_schema=_INPUT_SCHEMA,
            idempotent=True,
            prose_fields=frozenset({"summary", "description", "location"}),
        )
        self._workspace = workspace

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        """Listing changes nothing."""
        return arguments.get("operation") != "list"

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Return {uid} for add, {events} for list, {removed} for remove."""
        path = arguments.get("file_path", "calendar.ics")
        calendar = self._load(path)
        if arguments["operation"] == "list":
            return {"events": _listed(calendar, arguments)}
        if arguments["operation"] == "add":
            uid = hashlib.sha256(idempotency_key.encode()).hexdigest()[:32]
            _remove(calendar, uid)
            calendar.add_component(_event(arguments, uid))
            result: dict[str, Any] = {"uid": uid, "file_path": path}
        else:
            if not arguments.get("uid"):
                raise ToolFailed("remove needs 'uid'")
            result = {"removed": _remove(calendar, arguments["uid"])}
        self._workspace.write(path, calendar.to_ical())
        return result

    def _load(self, path: str) -> Any:
        from icalendar import Calendar

        if not self._workspace.exists(path):
            calendar = Calendar()
            calendar.add("prodid", "-//Tercet//calendar//EN")
            calendar.add("version", "2.0")
            return calendar
        try:
            return Calendar.from_ical(self._workspace.read(path))
        except ValueError as error:
            raise ToolFailed(f"{path!r} is no iCalendar file") from error


def _event(arguments: dict[str, Any], uid: str) -> Any:
    from icalendar import Event, vCalAddress

    if not arguments.get("summary") or not arguments.get("start"):
        raise ToolFailed("add needs 'summary' and 'start'")
    start = _moment(arguments["start"])
    event = Event()
    event.add("uid", uid)
    event.add("dtstamp", datetime.now(UTC))
    event.add("summary", arguments["summary"])
    event.add("dtstart", start)
    if arguments.get("end"):
        end = _moment(arguments["end"])
        if _order(end) < _order(start):
            raise ToolFailed("the end lies before the start")
        event.add("dtend", end)
    for name in ("location", "description"):
        if arguments.get(name):
            event.add(name, arguments[name])
    for address in arguments.get("attendees", []):
        event.add("attendee", vCalAddress(f"mailto:{address}"))
    return event


def _listed(calendar: Any, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    first = _order(_moment(arguments["from"])) if arguments.get("from") else ""
    last = _order(_moment(arguments["to"])) if arguments.get("to") else "9999"
    found = []
    for event in calendar.walk("VEVENT"):
        start = event.decoded("dtstart")
        if first <= _order(start) <= last:
            end = event.decoded("dtend", None)
            found.append(
                {
                    "uid": str(event.get("uid")), "summary": str(event.get("summary", "")), "start": start.isoformat(),
                    "end": None if end is None else end.isoformat(), "location": str(event.get("location", "")) or None,
                }
            )  # fmt: skip
    return sorted(found, key=lambda item: str(item["start"]))


def _remove(calendar: Any, uid: str) -> bool:
    before = len(calendar.subcomponents)
    calendar.subcomponents = [part for part in calendar.subcomponents if str(part.get("uid", "")) != uid]
    return len(calendar.subcomponents) < before


def _moment(text: str) -> datetime | date:
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ToolFailed(f"{text!r} is no date or time in ISO 8601") from error
    if moment.tzinfo is None:
        raise ToolFailed(f"{text!r} has no offset from UTC; write 2026-11-21T10:00:00+01:00")
    return moment.astimezone(UTC)


def _order(value: datetime | date) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()
