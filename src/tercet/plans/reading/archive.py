"""The files of a run, from a folder or a zip: nothing outside, nothing too large, nothing too many."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tercet.domain.errors import InvalidInput, TooLarge

MOST_FILES = 2_000
MOST_BYTES = 100_000_000
LARGEST_FILE = 20_000_000


def files_of(path: Path) -> dict[str, bytes]:
    """Return the files of a run directory or a zip by their bare names. Raises InvalidInput, TooLarge."""
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise InvalidInput(f"there is no folder or file {str(path)!r}")
    if path.stat().st_size > MOST_BYTES:
        raise TooLarge(f"the file is larger than {MOST_BYTES:,} bytes")
    return files_of_zip(path.read_bytes())


def files_of_zip(content: bytes) -> dict[str, bytes]:
    """Return the files of a zip by their bare names. Raises InvalidInput for one that is damaged or hostile, TooLarge."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _of_zip(archive)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise InvalidInput(
            "the file is no zip that can be read", hint="give a PlanExe run as folder or zip"
        ) from error


def _of_folder(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or not entry.is_file():
            continue
        if entry.stat().st_size > LARGEST_FILE:
            raise TooLarge(f"{entry.name!r} is larger than {LARGEST_FILE:,} bytes")
        found[entry.name] = entry.read_bytes()
        _check_sum(found)
    return found


def _of_zip(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise TooLarge(f"the zip has more than {MOST_FILES:,} files")
    found: dict[str, bytes] = {}
    for entry in entries:
        name = PurePosixPath(entry.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or ":" in entry.filename:
            raise InvalidInput(f"the zip has a file that leads out of it: {entry.filename[:200]!r}")
        if entry.file_size > LARGEST_FILE:
            raise TooLarge(f"{name.name!r} is larger than {LARGEST_FILE:,} bytes")
        with archive.open(entry) as file:
            # A header may lie about the size, so what is read is counted.
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise TooLarge(f"{name.name!r} is larger than {LARGEST_FILE:,} bytes")
        found.setdefault(name.name, content)
        _check_sum(found)
    return found


def _check_sum(found: Mapping[str, bytes]) -> None:
    if sum(map(len, found.values())) > MOST_BYTES:
        raise TooLarge(f"the run has more than {MOST_BYTES:,} bytes")
