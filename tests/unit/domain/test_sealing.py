"""Secrets at rest: they open for their owner alone, and with old keys too."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.domain.errors import InvalidSettings
from tercet.domain.sealing import CannotOpen, Keyring
from tercet.store.keys import FILE_NAME, open_keyring

KEYS = {"k1": b"1" * 32}


@given(st.text().filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text)))
def test_a_sealed_text_opens_as_it_was(text: str):
    ring = Keyring(KEYS)

    assert ring.open(ring.seal(text, belongs_to="a"), belongs_to="a") == text


def test_a_sealed_text_never_reads_the_same_and_never_shows_the_text():
    ring = Keyring(KEYS)

    assert ring.seal("secret", belongs_to="a") != ring.seal("secret", belongs_to="a")
    assert "secret" not in ring.seal("secret", belongs_to="a")


def test_it_opens_for_nothing_else_and_not_when_it_was_changed():
    ring = Keyring(KEYS)
    sealed = ring.seal("secret", belongs_to="a")

    for text, owner in (
        (sealed, "b"),
        (sealed[:-4] + "AAAA", "a"),
        ("k1.", "a"),
        ("k9.AAAA", "a"),
        ("", "a"),
    ):
        with pytest.raises(CannotOpen):
            ring.open(text, belongs_to=owner)


def test_a_new_key_seals_and_the_old_one_still_opens():
    old = Keyring(KEYS)
    new = Keyring({"k2": b"2" * 32, **KEYS})

    assert new.key_id == "k2"
    assert new.open(old.seal("secret", belongs_to="a"), belongs_to="a") == "secret"


def test_the_first_start_makes_a_key_that_only_the_owner_reads(tmp_path: Path):
    sealed = open_keyring(tmp_path).seal("secret", belongs_to="a")

    assert open_keyring(tmp_path).open(sealed, belongs_to="a") == "secret"
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600
    (tmp_path / FILE_NAME).write_text("{}")
    with pytest.raises(InvalidSettings):
        open_keyring(tmp_path)
