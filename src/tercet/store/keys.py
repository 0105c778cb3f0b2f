"""The keys for secrets at rest: a file beside the database that only its owner can read."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidSettings
from tercet.domain.sealing import KEY_BYTES, Keyring

FILE_NAME = "secret-keys.json"


def open_keyring(folder: Path) -> Keyring:
    """Read `{KEY_ID: BASE64}`, the sealing key first; the first start makes it. Raises InvalidSettings."""
    path = folder / FILE_NAME
    if not path.exists():
        _create(path)
    try:
        stored: dict[str, str] = from_json(path.read_bytes())
        return Keyring({key_id: base64.b64decode(key) for key_id, key in stored.items()})
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InvalidSettings(
            f"{path} holds no usable keys", hint="restore it from a backup: sealed secrets need it"
        ) from error


def _create(path: Path) -> None:
    key = base64.b64encode(os.urandom(KEY_BYTES)).decode()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(to_json({"k1": key}))
