"""Text out of bytes of unknown encoding."""

from __future__ import annotations

_SHORT_BYTES = 2_000


def decode_text(raw: bytes) -> tuple[str, str] | None:
    """Return (text, encoding), or None when no encoding fits.

    UTF-8 goes first. Short texts give a statistical guess too little to go on, so they are read as the
    common western encoding where that is possible.
    """
    try:
        return raw.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        pass
    if len(raw) < _SHORT_BYTES and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            pass
    from charset_normalizer import from_bytes

    best = from_bytes(raw).best()
    return None if best is None else (str(best), best.encoding)
