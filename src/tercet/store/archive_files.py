"""Archive files and the chain of their hashes: written once, never changed, checked before they are trusted.

`archive/YYYY/MM/archive-NNNNNN.jsonl.gz` holds a row a line, `{"table", "execution_id", "row"}`, sealed text as
it was in the database. `archive/chain.jsonl` has a line a file: its SHA-256 and the hash of the line before.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tercet.domain.clock import to_datetime
from tercet.domain.codec import digest, from_json, to_json
from tercet.domain.errors import ArchiveDamaged
from tercet.store.keys import sync_folder

CHAIN = "chain.jsonl"
_FIRST = "0" * 64
_LEVEL = 6


@dataclass(frozen=True, kw_only=True)
class ArchiveFile:
    """A line of the chain."""

    seq: int
    file: str
    """Its path within the archive folder."""
    sha256: str
    """Of the file as it lies there."""
    executions: int
    rows: int
    key_ids: list[str]
    """The keys that opening its rows needs."""
    written_at_ms: int
    previous: str
    """The hash of the line before, zeros for the first."""

    @property
    def hash(self) -> str:
        """The hash of this line."""
        return digest(asdict(self))


@dataclass(kw_only=True)
class Content:
    """What was written into a file."""

    executions: int = 0
    rows: int = 0
    key_ids: set[str] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class ArchivedRow:
    """A row of an archive."""

    table: str
    execution_id: str
    row: dict[str, Any]


class ArchiveFolder:
    """The archives of a data folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder

    def chain(self) -> list[ArchiveFile]:
        """Return the lines of the chain, oldest first. Raises ArchiveDamaged for one that was changed."""
        entries = []
        for number, (entry, problem) in enumerate(self._lines(), start=1):
            if entry is None or problem is not None:
                raise ArchiveDamaged(
                    f"{CHAIN} line {number}: {problem}", hint="`tercet archive verify` says more"
                )
            entries.append(entry)
        return entries

    def write(self, rows: Iterable[ArchivedRow], content: Content, *, now_ms: int) -> ArchiveFile:
        """Write the next file and its line; both are on disk, read back and compared when this returns.

        `content` counts while `rows` are drawn. Raises ArchiveDamaged when the disk gives back something else.
        """
        chain = self.chain()
        seq = chain[-1].seq + 1 if chain else 1
        name = f"{to_datetime(now_ms):%Y/%m}/archive-{seq:06}.jsonl.gz"
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = path.with_suffix(".new")
        plain = _write_lines(new, rows)
        if _digest_of_lines(new) != plain:
            new.unlink()
            raise ArchiveDamaged(f"{name} does not read back as it was written", hint="check the disk")
        new.replace(path)
        self._sync(path.parent)
        entry = ArchiveFile(
            seq=seq, file=name, sha256=_digest_of_file(path), executions=content.executions, rows=content.rows,
            key_ids=sorted(content.key_ids), written_at_ms=now_ms, previous=chain[-1].hash if chain else _FIRST,
        )  # fmt: skip
        self._write_chain([*chain, entry])
        return entry

    def read(self, entry: ArchiveFile) -> Iterator[ArchivedRow]:
        """Yield the rows of a file. Raises ArchiveDamaged unless it is as it was written."""
        problem = self._problem_of(entry)
        if problem is not None:
            raise ArchiveDamaged(f"{entry.file}: {problem}", hint="restore the file from a backup")
        with gzip.open(self.path / entry.file, "rb") as file:
            for line in file:
                yield ArchivedRow(**from_json(line))

    def check(self, recorded: dict[int, str]) -> tuple[int, list[dict[str, str]]]:
        """Return how many files are sound, and {file, problem} of everything that is not.

        `recorded` has the hash of each line that the database knows of, by number.
        """
        sound, problems = 0, []
        known: dict[int, ArchiveFile] = {}
        for number, (entry, problem) in enumerate(self._lines(), start=1):
            if problem is not None:
                problems.append({"file": CHAIN, "problem": f"line {number}: {problem}"})
            if entry is None:
                continue
            known[entry.seq] = entry
            damage = self._problem_of(entry)
            if damage is not None:
                problems.append({"file": entry.file, "problem": damage})
            elif problem is None:
                sound += 1
        for seq, wanted in recorded.items():
            line = known.get(seq)
            if line is None:
                problems.append({"file": CHAIN, "problem": f"the line of archive {seq} is missing"})
            elif line.hash != wanted:
                problem = f"the line of archive {seq} is not the one that the database recorded"
                problems.append({"file": CHAIN, "problem": problem})
        return sound, problems

    def _lines(self) -> Iterator[tuple[ArchiveFile | None, str | None]]:
        """Yield each line of the chain with what is wrong with it."""
        path = self.path / CHAIN
        if not path.exists():
            return
        previous, seq = _FIRST, 0
        for line in path.read_bytes().splitlines():
            try:
                stored = from_json(line)
                wanted = stored.pop("hash")
                entry = ArchiveFile(**stored)
            except (ValueError, TypeError, KeyError, AttributeError):
                yield None, "it cannot be read"
                continue
            if entry.hash != wanted:
                yield entry, "it was changed"
            elif entry.previous != previous or entry.seq != seq + 1:
                yield entry, "it does not follow from the line before"
            else:
                yield entry, None
            previous, seq = entry.hash, entry.seq

    def _problem_of(self, entry: ArchiveFile) -> str | None:
        path = (self.path / entry.file).resolve()
        if not path.is_relative_to(self.path.resolve()) or not path.is_file():
            return "the file is missing"
        return None if _digest_of_file(path) == entry.sha256 else "the content was changed"

    def _write_chain(self, entries: list[ArchiveFile]) -> None:
        new = self.path / f"{CHAIN}.new"
        with new.open("w") as file:
            for entry in entries:
                file.write(to_json({**asdict(entry), "hash": entry.hash}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path / CHAIN)
        sync_folder(self.path)

    def _sync(self, folder: Path) -> None:
        """Put a folder and those above it on disk, up to the data folder: all of them may be new."""
        while True:
            sync_folder(folder)
            if folder == self.path.parent:
                return
            folder = folder.parent


def _write_lines(path: Path, rows: Iterable[ArchivedRow]) -> str:
    """Write compressed lines and put them on disk; return the digest of the lines."""
    hashed = hashlib.sha256()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=_LEVEL, mtime=0) as packed:
            for row in rows:
                line = to_json(asdict(row)).encode() + b"\n"
                hashed.update(line)
                packed.write(line)
        file.flush()
        os.fsync(file.fileno())
    return hashed.hexdigest()


def _digest_of_lines(path: Path) -> str:
    hashed = hashlib.sha256()
    with gzip.open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            hashed.update(chunk)
    return hashed.hexdigest()


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
