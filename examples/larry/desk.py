"""Larry's desk: a folder with his tables and papers, and how he reaches the world."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import httpx

Row = dict[str, str]
PROSPECTS, QUALIFIED, SENT, CLIENTS = (
    "PROSPECTS.csv",
    "PROSPECTS_QUALIFIED.csv",
    "SENT.csv",
    "CLIENTS.csv",
)
LARRY = "larry@example.org"


@dataclass(frozen=True, kw_only=True)
class Twilio:
    """An account that makes phone calls."""

    account_sid: str
    auth_token: str
    from_number: str
    api_url: str = "https://api.twilio.com"


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What the actions work with."""

    folder: Path
    web_url: str
    """Where the map, the websites and the mailbox are: a local server that stands for the internet."""
    smtp_port: int
    phone: Twilio | None = None

    def read(self, name: str) -> list[Row]:
        """Return the rows of a table; none when there is no such table."""
        path = self.folder / name
        if not path.exists():
            return []
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write(self, name: str, rows: list[Row]) -> int:
        """Replace a table, whole or not at all; return how many rows it has."""
        path = self.folder / name
        draft = path.with_suffix(".part")
        with draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else ["empty"])
            writer.writeheader()
            writer.writerows(rows)
        draft.replace(path)
        return len(rows)

    def write_text(self, name: str, text: str) -> str:
        """Write a paper; return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return name

    def interested(self) -> list[Row]:
        """Return the prospects who said on the phone that they want to hear more."""
        return [row for row in self.read(QUALIFIED) if row["status"] == "interested"]

    def get(self, url: str) -> httpx.Response:
        """Fetch a page. Every host of example.org lives on the local server, which tells them apart by name."""
        target = httpx.URL(url)
        headers = {"Host": target.host} if target.host.endswith("example.org") else {}
        answer = httpx.get(f"{self.web_url}{target.raw_path.decode()}", headers=headers, timeout=10)
        if answer.is_error:
            raise ConnectionError(f"{target.host} answered {answer.status_code}")
        return answer


def slug(name: str) -> str:
    """Return a name as a file name."""
    return "-".join(name.casefold().split())
