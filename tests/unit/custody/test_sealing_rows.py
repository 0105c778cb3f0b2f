"""What people and programs send is ciphertext on the disk and plain to those who read through the store."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.custody.conftest import CANARY, on_disk, open_shop, order

from tercet.domain.errors import InvalidSettings
from tercet.domain.sealing import CannotOpen, Keyring
from tercet.store import statements as sql
from tercet.store.keys import FILE_NAME, open_keyring
from tercet.store.listing import list_events
from tercet.store.sealer import Sealer
from tercet.store.sqlite import open_reader
from tercet.store.tables import execution_events, executions, metadata
from tercet.store.tables.sealed import Sealed, give_keyring

RING = Keyring({"k1": b"1" * 32})
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


# Each example makes a table: how long that takes is not what is tested.
@settings(deadline=None, max_examples=50)
@given(st.lists(st.none() | TEXTS | TEXTS.map("enc:k1:{}".format), min_size=3, max_size=3), st.booleans())
def test_what_the_journal_seals_the_reader_opens_as_it_was(texts: list[str | None], seal_all: bool):
    engine = sa.create_engine("sqlite://")
    give_keyring(engine, RING)
    values = dict.fromkeys(sql.INSERT_EVENT.columns)
    values |= {"execution_id": "e", "seq": 1, "event_type": "t", "at_ms": 1}
    values |= dict(zip(("message", "output_data", "error_message"), texts, strict=True))
    rows = Sealer(RING, seal_all=seal_all).seal_rows(sql.INSERT_EVENT, [tuple(values.values())])
    with engine.begin() as connection:
        execution_events.create(connection)
        connection.exec_driver_sql(sql.INSERT_EVENT.sql, rows[0])
        (event,) = list_events(connection, execution_id="e")
    engine.dispose()

    assert [event["message"], event["output_data"], event["error_message"]] == texts


def test_every_sealed_column_is_bound_to_its_own_name():
    bound = {
        f"{table.name}.{column.name}": column.type.belongs_to
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Sealed)
    }

    assert len(bound) > 20
    assert {name: belongs_to for name, belongs_to in bound.items() if name != belongs_to} == {}


def test_the_database_is_not_asked_what_is_in_a_sealed_column():
    with pytest.raises(TypeError, match="sealed"):
        _ = executions.c.status_message == "x"
    with pytest.raises(TypeError, match="sealed"):
        execution_events.c.output_data.desc()


def test_nonces_do_not_repeat_when_the_counter_goes_on():
    nonces = [RING.seal("", belongs_to="a")[7:23] for _ in range(1_000)]

    assert len(set(nonces)) == 1_000


async def test_nothing_that_was_sent_is_on_the_disk_after_a_whole_flow(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
        await order(flow, f"{CANARY} who fails")
        waiting = await flow.send("order.sent", {"name": CANARY})
        await flow.idle()
        content = on_disk(tmp_path)
        data = await flow.event_data(waiting, "order.sent")

    assert data == [{"name": CANARY}]
    assert CANARY.encode() not in content
    assert CANARY.encode() not in on_disk(tmp_path)
    assert b"order.sent" in content


async def test_text_is_plain_on_the_disk_when_encryption_is_off_and_both_kinds_are_read(tmp_path: Path):
    async with open_shop(tmp_path, encrypt_at_rest=False) as flow:
        before = await order(flow)
    assert CANARY.encode() in on_disk(tmp_path)

    async with open_shop(tmp_path) as flow:
        after = await order(flow)
        assert await flow.event_data(before, "order.sent") == await flow.event_data(after, "order.sent")


async def test_a_start_without_the_key_file_is_refused_when_the_database_is_sealed(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
    (tmp_path / FILE_NAME).unlink()

    with pytest.raises(InvalidSettings, match="is missing"):
        async with open_shop(tmp_path):
            pass


async def test_a_row_whose_key_is_lost_says_which_key_it_needs(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
    (tmp_path / FILE_NAME).write_text('{"k9": "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE="}')

    engine = open_reader(tmp_path / "tercet.db", open_keyring(tmp_path))
    with engine.connect() as connection, pytest.raises(CannotOpen, match="'k1'"):
        list_events(connection, execution_id=execution_id)
    engine.dispose()
