"""An agent's folder: every path stays inside, whatever it is called and wherever links point.

Paths are walked part by part with `O_NOFOLLOW` relative to an open folder, so no link and no race leads out.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Literal

from tercet.domain.tool import ToolFailed

LARGEST_FILE_BYTES = 5_000_000
_LONGEST_PATH = 1_000
_MOST_PARTS = 32
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
Cleanup = Literal["on_success", "on_complete", "never"]


class Workspace:
    """Files below `root`, which is made when it is first written to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> bytes:
        """Return a file's content. Raises ToolFailed."""
        parts = parts_of(path)
        with self._folder(parts[:-1]) as folder:
            try:
                descriptor = os.open(parts[-1], os.O_RDONLY | _NO_FOLLOW | os.O_NONBLOCK, dir_fd=folder)
            except OSError as error:
                raise ToolFailed(f"{path!r} cannot be read: {_why(error)}") from error
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ToolFailed(f"{path!r} is not a file")
            if status.st_size > LARGEST_FILE_BYTES:
                raise ToolFailed(f"{path!r} is larger than {LARGEST_FILE_BYTES} bytes")
            return file.read(LARGEST_FILE_BYTES + 1)

    def write(self, path: str, content: bytes) -> None:
        """Write a file whole; folders on the way are made. Raises ToolFailed."""
        if len(content) > LARGEST_FILE_BYTES:
            raise ToolFailed(f"the content is larger than {LARGEST_FILE_BYTES} bytes")
        parts = parts_of(path)
        with self._folder(parts[:-1], make=True) as folder:
            self._refuse_link(parts[-1], folder, path)
            temporary = f".{parts[-1][:100]}.writing"
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW
            try:
                with os.fdopen(os.open(temporary, flags, 0o600, dir_fd=folder), "wb") as file:
                    file.write(content)
                os.replace(temporary, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                raise ToolFailed(f"{path!r} cannot be written: {_why(error)}") from error

    def exists(self, path: str) -> bool:
        """Return whether there is a file. Raises ToolFailed for a path that leads out."""
        parts = parts_of(path)
        try:
            with self._folder(parts[:-1]) as folder:
                return stat.S_ISREG(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)
        except (ToolFailed, OSError):
            return False

    def files(self) -> Iterator[str]:
        """Yield the paths of all files, sorted; links are left out."""
        found = []
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders.sort()
            found += [
                (Path(folder) / name).relative_to(self.root).as_posix()
                for name in names
                if not (Path(folder) / name).is_symlink()
            ]
        yield from sorted(found)

    def glob(self, pattern: str) -> list[str]:
        """Return the files that a pattern (`**/*.csv`) matches. Raises ToolFailed."""
        parts_of(pattern.replace("*", "x").replace("?", "x") or "x")
        wanted = PurePosixPath(pattern)
        return [path for path in self.files() if _matches(PurePosixPath(path), wanted)]

    def remove(self) -> None:
        """Delete the folder and all in it."""
        shutil.rmtree(self.root, ignore_errors=True)

    def finish(self, *, success: bool, cleanup: Cleanup, snapshot_on_failure: bool) -> Path | None:
        """Clean up after a run by its rules; return where a failed run's files were kept, if they were."""
        if not self.root.exists():
            return None
        if not success and snapshot_on_failure and cleanup == "on_complete":
            kept = self.root.with_name(f"{self.root.name}.failed")
            shutil.rmtree(kept, ignore_errors=True)
            self.root.rename(kept)
            return kept
        if cleanup == "on_complete" or (cleanup == "on_success" and success):
            self.remove()
            return None
        return self.root

    @contextmanager
    def _folder(self, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        if make:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            descriptor = os.open(self.root, os.O_RDONLY | _FOLDER)
        except OSError as error:
            raise ToolFailed("there is no such file") from error
        try:
            for part in parts:
                if make:
                    try:
                        os.mkdir(part, 0o700, dir_fd=descriptor)
                    except FileExistsError:
                        pass
                    except OSError as error:
                        raise ToolFailed(f"the folder {part!r} cannot be made: {_why(error)}") from error
                try:
                    inner = os.open(part, os.O_RDONLY | _FOLDER | _NO_FOLLOW, dir_fd=descriptor)
                except OSError as error:
                    raise ToolFailed(f"there is no folder {part!r}") from error
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def _refuse_link(self, name: str, folder: int, path: str) -> None:
        try:
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            return
        if not stat.S_ISREG(mode):
            raise ToolFailed(f"{path!r} is not a file that can be written")


def parts_of(path: str) -> tuple[str, ...]:
    """Return the parts of a path that stays inside. Raises ToolFailed with the rule that it breaks."""
    if not path or len(path) > _LONGEST_PATH:
        raise ToolFailed(f"a path has 1 to {_LONGEST_PATH} characters")
    if any(ord(character) < 0x20 or character in "\\\x7f" for character in path) or "%2" in path.lower():
        raise ToolFailed("the path contains a backslash, a control character or an encoded separator")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolFailed("the path is no text") from error
    if path.startswith(("/", "~")) or (len(path) > 1 and path[1] == ":"):
        raise ToolFailed("the path has to be relative to the workspace")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        raise ToolFailed("the path leads out of the workspace")
    if not parts or len(parts) > _MOST_PARTS or any(len(part.encode()) > 200 for part in parts):
        raise ToolFailed("the path is no path to a file")
    return parts


def _matches(path: PurePosixPath, pattern: PurePosixPath) -> bool:
    return _match_parts(path.parts, pattern.parts)


def _match_parts(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_match_parts(path[index:], pattern[1:]) for index in range(len(path) + 1))
    return bool(path) and PurePosixPath(path[0]).match(pattern[0]) and _match_parts(path[1:], pattern[1:])


def _why(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "unknown reason"
