"""Secrets at rest: AES-256-GCM under named keys, bound to what they belong to (NIST SP 800-38D)."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tercet.domain.errors import OperatorError

KEY_BYTES = 32
_NONCE_BYTES = 12


class CannotOpen(OperatorError):
    """The key is missing, or the sealed text was changed or belongs to something else."""

    code = "CANNOT_OPEN_SECRET"


class Keyring:
    """Keys by id; the first one seals, all of them open. Sealed texts read `KEY_ID.BASE64`."""

    def __init__(
        self, keys: Mapping[str, bytes], *, random_bytes: Callable[[int], bytes] = os.urandom
    ) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys.values()):
            raise ValueError(f"a keyring needs at least one key, each of {KEY_BYTES} bytes")
        self._keys = dict(keys)
        self._random_bytes = random_bytes

    @property
    def key_id(self) -> str:
        """The key that seals."""
        return next(iter(self._keys))

    def derive(self, purpose: str) -> bytes:
        """Return a key for another purpose, from the one that seals (HKDF, RFC 5869)."""
        return HKDF(SHA256(), KEY_BYTES, salt=None, info=purpose.encode()).derive(self._keys[self.key_id])

    def seal(self, text: str, *, belongs_to: str) -> str:
        """Return the sealed text; it opens only for the same `belongs_to`."""
        nonce = self._random_bytes(_NONCE_BYTES)
        sealed = AESGCM(self._keys[self.key_id]).encrypt(nonce, text.encode(), belongs_to.encode())
        return f"{self.key_id}.{base64.urlsafe_b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, *, belongs_to: str) -> str:
        """Return the text. Raises CannotOpen."""
        key_id, _, body = sealed.partition(".")
        key = self._keys.get(key_id)
        if key is None:
            raise CannotOpen(f"the key {key_id!r} is not in the keyring", hint="restore the secret-key file")
        try:
            raw = base64.urlsafe_b64decode(body)
            return AESGCM(key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], belongs_to.encode()).decode()
        except (ValueError, InvalidTag) as error:
            raise CannotOpen("a sealed text was changed, or belongs to something else") from error
