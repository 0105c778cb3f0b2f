"""`make larry`'s program runs the scenario of three phases to its end without a terminal."""

from __future__ import annotations

import csv
import email
import email.policy
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa
from icalendar import Calendar

from tercet.store.keys import open_keyring
from tercet.store.sqlite import open_reader
from tercet.testing.log_check import differences

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "examples" / "larry" / "output"


@pytest.fixture(scope="module")
def printed() -> str:
    """Run it once; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "examples.larry.demo"],
        check=False, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    return done.stdout


def rows(name: str) -> list[dict[str, str]]:
    with (OUTPUT / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_of_23_prospects_10_qualify_5_are_called_3_are_interested_and_2_sign(printed: str):
    prospects, qualified = rows("PROSPECTS.csv"), rows("PROSPECTS_QUALIFIED.csv")

    assert len(prospects) == 23
    assert set(prospects[0]) >= {"contact_name", "phone", "email", "town", "website_url"}
    assert {row["score"] for row in prospects} == {"1", "2", "3", "4", "5"}
    assert len(qualified) == 10
    assert all(int(row["score"]) >= 4 for row in qualified)
    has_website = [bool(row["website_url"]) for row in qualified]
    assert has_website == sorted(has_website), "who has no website comes first"
    assert Counter(row["status"] for row in qualified) == {"interested": 3, "not_interested": 2, "new": 5}
    assert Counter(row["status"] for row in rows("CLIENTS.csv")) == {"closed": 2, "pending": 1}
    assert len(rows("QUOTES.csv")) == 3
    assert "23 found, 10 qualified, 5 called" in printed


def test_everybody_who_is_interested_got_each_letter_once_and_the_refused_address_none(printed: str):
    messages = [
        email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        for path in sorted((OUTPUT / "mailbox").glob("*.eml"))
    ]

    assert Counter((str(m["To"]), str(m["Subject"])) for m in messages) == {
        (to, subject): 1
        for to in (
            "office@birch-hill.example.org",
            "dana@willow-creek.example.org",
            "hazel@maple-run.example.org",
        )
        for subject in ("Discovery Interview Request", "Your breeder management system")
    }
    assert all(m["From"] == "larry@example.org" for m in messages)
    assert "6 accepted, 1 refused" in printed


def test_the_interviews_are_in_a_calendar_that_parses(printed: str):
    calendar = Calendar.from_ical((OUTPUT / "interviews.ics").read_bytes())
    events = calendar.walk("VEVENT")

    assert len(events) == 3
    assert len({str(event["uid"]) for event in events}) == 3
    assert all((event.decoded("dtend") - event.decoded("dtstart")).seconds == 90 * 60 for event in events)


def test_the_papers_are_written(printed: str):
    assert {folder: len(list((OUTPUT / folder).iterdir())) for folder in ("interviews", "wireframes", "proposals")} == {
        "interviews": 3, "wireframes": 3, "proposals": 3,
    }  # fmt: skip
    assert "| closed | 2 |" in (OUTPUT / "REPORT.md").read_text("utf-8")


def test_the_execution_completed_with_18_subtasks_and_its_log_folds_to_its_rows(printed: str):
    engine = open_reader(OUTPUT / "data" / "tercet.db", open_keyring(OUTPUT / "data"))
    with engine.connect() as connection:
        (found,) = connection.execute(
            sa.text("SELECT status, tasks_total, tasks_completed FROM executions")
        ).all()
        names = connection.execute(
            sa.text("SELECT name FROM execution_subtasks WHERE status = 'COMPLETE' AND name LIKE 'task%'")
        ).scalars()
        assert tuple(found) == ("COMPLETED", 8, 8)
        assert len(set(names) - {"task_3_4"}) == 18
        kinds = Counter(connection.execute(sa.text("SELECT event_type FROM execution_events")).scalars())
        assert differences(connection) == []

    assert kinds["task_error"] == 3, "a website was down, an address was refused, a client did not answer"
    assert "Decide how to go on: Write to them" in printed


def test_larrys_log_is_in_the_form_of_the_spec_and_without_personal_data(printed: str):
    text = (OUTPUT / "larry.log").read_text("utf-8")

    assert re.search(r"^\S+ \S+ - INFO - Reporting event: task_complete for task task_1_1_a$", text, re.M)
    assert "@birch-hill" not in text.replace("***@birch-hill", "")
    assert "555-01" not in text
