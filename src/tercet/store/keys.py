"""The keys for what is sealed at rest: a file beside the database that only its owner can read."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import Conflict, InvalidSettings, NotFound
from tercet.domain.sealing import KEY_BYTES, Keyring

FILE_NAME = "secret-keys.json"


class KeyFile:
    """`{KEY_ID: BASE64}`, the sealing key first. Every change is on disk before the ring uses it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    @property
    def exists(self) -> bool:
        """Whether there is a file; the first start makes it."""
        return self._path.exists()

    def open(self) -> Keyring:
        """Return the ring of the file's keys, which is made when there is none. Raises InvalidSettings."""
        if not self.exists:
            self._write({"k1": os.urandom(KEY_BYTES)})
        try:
            return Keyring(self._read())
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InvalidSettings(
                f"{self._path} holds no usable keys", hint="restore it from a backup: sealed data need it"
            ) from error

    def add(self, ring: Keyring) -> str:
        """Make a new key the sealing one; return its id."""
        keys = self._read()
        numbers = [int(key_id[1:]) for key_id in keys if key_id[:1] == "k" and key_id[1:].isdecimal()]
        key_id = f"k{max(numbers, default=0) + 1}"
        keys = {key_id: os.urandom(KEY_BYTES), **keys}
        self._write(keys)
        ring.replace(keys)
        return key_id

    def drop(self, ring: Keyring, key_id: str) -> None:
        """Forget a key; the caller has made sure that nothing needs it. Raises NotFound, Conflict."""
        keys = self._read()
        if key_id not in keys:
            raise NotFound(f"there is no key {key_id!r}", hint=f"there are {', '.join(keys)}")
        if key_id == ring.key_id:
            raise Conflict(f"the key {key_id!r} is the one that seals", hint="rotate first")
        del keys[key_id]
        self._write(keys)
        ring.replace(keys)

    def _read(self) -> dict[str, bytes]:
        stored: dict[str, str] = from_json(self._path.read_bytes())
        return {key_id: base64.b64decode(key) for key_id, key in stored.items()}

    def _write(self, keys: dict[str, bytes]) -> None:
        new = self._path.with_suffix(".new")
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(to_json({key_id: base64.b64encode(key).decode() for key_id, key in keys.items()}))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)
        sync_folder(self._path.parent)


def open_keyring(folder: Path) -> Keyring:
    """Return the keys of a data folder; the first start makes them. Raises InvalidSettings."""
    return KeyFile(folder).open()


def sync_folder(folder: Path) -> None:
    """Put the folder's entries on disk: a rename lasts only then."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
