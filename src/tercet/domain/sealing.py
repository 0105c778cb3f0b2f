"""Secrets and personal data at rest: AES-256-GCM under named keys, bound to what they belong to (NIST SP 800-38D)."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable, Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tercet.domain.errors import OperatorError

KEY_BYTES = 32
SEALED = "enc:"
"""What every sealed text begins with: `enc:KEY_ID:BASE64`."""
_NONCE_BYTES = 12
_COUNTER_BYTES = 4
_COUNTER_END = 1 << (8 * _COUNTER_BYTES)


class CannotOpen(OperatorError):
    """The key is missing, or the sealed text was changed or belongs to something else."""

    code = "CANNOT_OPEN_SECRET"


class Keyring:
    """Keys by id; the first one seals, all of them open.

    A nonce is 8 random bytes that are drawn once a process and a counter of 4: random nonces alone would
    be too many for one key within hours of full load.
    """

    def __init__(
        self, keys: Mapping[str, bytes], *, random_bytes: Callable[[int], bytes] = os.urandom
    ) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys.values()):
            raise ValueError(f"a keyring needs at least one key, each of {KEY_BYTES} bytes")
        if any(not key_id or set(key_id) & set(":.") for key_id in keys):
            raise ValueError("a key's id is not empty and has neither colon nor dot")
        self._random_bytes = random_bytes
        self._counter = _COUNTER_END
        self._nonce_start = b""
        self._process_id = 0
        self.replace(keys)

    @property
    def key_id(self) -> str:
        """The key that seals."""
        return self._key_id

    @property
    def key_ids(self) -> list[str]:
        """All keys, the sealing one first."""
        return list(self._keys)

    def replace(self, keys: Mapping[str, bytes]) -> None:
        """Take other keys from now on, the sealing one first; whoever holds the ring has them at once."""
        self._keys = dict(keys)
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self._key_id = next(iter(keys))

    def derive(self, purpose: str) -> bytes:
        """Return a key for another purpose, from the one that seals (HKDF, RFC 5869)."""
        return HKDF(SHA256(), KEY_BYTES, salt=None, info=purpose.encode()).derive(self._keys[self.key_id])

    def seal(self, text: str, *, belongs_to: str) -> str:
        """Return the sealed text; it opens only for the same `belongs_to`."""
        nonce = self._next_nonce()
        sealed = self._ciphers[self._key_id].encrypt(nonce, text.encode(), belongs_to.encode())
        return f"{SEALED}{self._key_id}:{binascii.b2a_base64(nonce + sealed, newline=False).decode()}"

    def open(self, sealed: str, *, belongs_to: str) -> str:
        """Return the text. Raises CannotOpen."""
        key_id, body = _split(sealed)
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise CannotOpen(
                f"the key {key_id!r} is not in the keyring", hint="restore secret-keys.json from a backup"
            )
        try:
            raw = base64.b64decode(body, altchars="-_" if _is_url_safe(body) else None)
            return cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], belongs_to.encode()).decode()
        except (ValueError, InvalidTag) as error:
            raise CannotOpen("a sealed text was changed, or belongs to something else") from error

    def _next_nonce(self) -> bytes:
        # A forked child has the parent's counter: it must not go on with the parent's start.
        if self._counter == _COUNTER_END or self._process_id != os.getpid():
            self._nonce_start = self._random_bytes(_NONCE_BYTES - _COUNTER_BYTES)
            self._process_id = os.getpid()
            self._counter = 0
        counter = self._counter
        self._counter = counter + 1
        return self._nonce_start + counter.to_bytes(_COUNTER_BYTES)


def is_sealed(text: str | None) -> bool:
    """Whether a stored text has the form of a sealed one."""
    return text is not None and text.startswith(SEALED)


def key_of(sealed: str) -> str:
    """Return the id of the key that sealed a text."""
    return _split(sealed)[0]


def _split(sealed: str) -> tuple[str, str]:
    """Take `enc:KEY_ID:BASE64` apart; version 0.1 wrote `KEY_ID.BASE64` with the URL-safe alphabet."""
    if sealed.startswith(SEALED):
        key_id, _, body = sealed[len(SEALED) :].partition(":")
    else:
        key_id, _, body = sealed.partition(".")
    return key_id, body


def _is_url_safe(body: str) -> bool:
    return "-" in body or "_" in body
