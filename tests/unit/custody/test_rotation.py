"""Rotation: a new key seals, everything stored is sealed again, and the old key goes once nothing needs it."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from tests.unit.custody.conftest import CANARY, on_disk, open_shop, order

from tercet.agent.config import AgentConfig
from tercet.custody.keys import Keys
from tercet.domain.errors import Conflict, InvalidInput, NotFound
from tercet.store.agents import load_agent
from tercet.store.keys import FILE_NAME
from tercet.testing.log_check import differences


async def reseal_all(keys: Keys) -> tuple[int, int]:
    texts = unreadable = 0
    cursor = None
    while True:
        done = await keys.reseal(cursor)
        texts, unreadable, cursor = texts + done.texts, unreadable + done.unreadable, done.cursor
        if cursor is None:
            return texts, unreadable


async def test_everything_reads_as_before_and_the_old_key_can_go_after_a_rotation(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        tasks, archive = await flow.all_tasks(execution_id), flow.node.custody.archive
        keys = flow.node.custody.keys

        assert await keys.rotate() == "k2"
        texts, unreadable = await reseal_all(keys)
        uses = await keys.all({})
        await keys.drop("k1", archive.keys_in_use)

        assert (texts > 20, unreadable) == (True, 0)
        assert [(use.key_id, use.is_active, use.texts) for use in uses] == [
            ("k2", True, texts),
            ("k1", False, 0),
        ]
        assert await flow.all_tasks(execution_id) == tasks
        assert await flow.event_data(execution_id, "order.sent") == [{"name": CANARY}]
        assert await reseal_all(keys) == (0, 0)
    assert list((tmp_path / FILE_NAME).read_text().split('"')[1:2]) == ["k2"]


async def test_a_key_in_use_and_the_sealing_key_do_not_go(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
        keys, archive = flow.node.custody.keys, flow.node.custody.archive
        with pytest.raises(Conflict, match="the one that seals"):
            await keys.drop("k1", archive.keys_in_use)
        await keys.rotate()
        with pytest.raises(Conflict, match="in use"):
            await keys.drop("k1", archive.keys_in_use)
        with pytest.raises(Conflict, match="the one that seals"):
            await keys.drop("k2", archive.keys_in_use)
        with pytest.raises(NotFound):
            await keys.drop("k7", archive.keys_in_use)


async def test_runs_go_on_and_lose_nothing_while_a_rotation_is_under_way(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        first = [await flow.send("order.sent", {"name": f"{CANARY} {n}"}) for n in range(40)]
        keys = flow.node.custody.keys

        async def rotate_twice() -> None:
            for _ in range(2):
                await keys.rotate()
                await reseal_all(keys)

        async def send_more() -> list[str]:
            return [await flow.send("order.sent", {"name": f"{CANARY} {n}"}) for n in range(40, 80)]

        _, second = await asyncio.gather(rotate_twice(), send_more())
        await flow.idle()
        await reseal_all(keys)
        for key_id in ("k1", "k2"):
            await keys.drop(key_id, flow.node.custody.archive.keys_in_use)

        for number, execution_id in enumerate([*first, *second]):
            assert await flow.event_data(execution_id, "order.sent") == [{"name": f"{CANARY} {number}"}]
        assert await flow.node.reader.read(differences) == []
        assert len(await flow.approvals()) == 80


async def test_plain_text_of_before_is_sealed_by_a_rotation(tmp_path: Path):
    async with open_shop(tmp_path, encrypt_at_rest=False) as flow:
        await order(flow)
    async with open_shop(tmp_path) as flow:
        await flow.node.custody.keys.rotate()
        await reseal_all(flow.node.custody.keys)
    connection = sqlite3.connect(tmp_path / "tercet.db")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()

    assert CANARY.encode() not in on_disk(tmp_path)


async def test_api_keys_of_agents_are_sealed_again_also_in_the_form_of_version_0_1(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        agents, keys = flow.node.agents, flow.node.custody.keys
        config = AgentConfig(name="ada", role="helps")
        agent = await agents.create(config, owner_id="local", api_key="secret-api-key")
        other = await agents.create(config, owner_id="local", api_key="other-api-key")
        _write_as_before(tmp_path, other.id)
        ring = keys.ring
        await keys.rotate()
        assert {use.key_id: use.texts for use in await keys.all({})}["k1"] >= 2
        await reseal_all(keys)

        for known, api_key in ((agent, "secret-api-key"), (other, "other-api-key")):
            row = await flow.node.reader.read(load_agent, owner_id="local", agent_id=known.id)
            assert row is not None
            assert row["api_key_sealed"].startswith("enc:k2:")
            assert ring.open(row["api_key_sealed"], belongs_to=known.id) == api_key


def _write_as_before(folder: Path, agent_id: str) -> None:
    connection = sqlite3.connect(folder / "tercet.db")
    connection.execute(
        "UPDATE agents SET api_key_sealed ="
        " replace(replace(replace(api_key_sealed, 'enc:k1:', 'k1.'), '+', '-'), '/', '_') WHERE id = ?",
        (agent_id,),
    )
    connection.commit()
    connection.close()


async def test_a_cursor_that_is_none_is_refused(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        for cursor in ("x", "[99, null]", "{}", '["a", []]', "[0]"):
            with pytest.raises(InvalidInput):
                await flow.node.custody.keys.reseal(cursor)


async def test_events_stay_append_only_for_all_but_ciphertext_under_its_leave(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
    connection = sqlite3.connect(tmp_path / "tercet.db")
    refused = (
        ("", "UPDATE execution_events SET output_data = 'enc:k1:x'"),
        ("", "DELETE FROM execution_events"),
        ("INSERT INTO unlocks VALUES ('reseal', '*')", "UPDATE execution_events SET status = 'X'"),
        ("INSERT INTO unlocks VALUES ('reseal', '*')", "UPDATE execution_events SET output_data = 'plain'"),
        ("INSERT INTO unlocks VALUES ('reseal', '*')", "UPDATE execution_events SET output_data = NULL"),
        (
            "INSERT INTO unlocks VALUES ('reseal', '*')",
            "UPDATE execution_events SET error_message = 'enc:k1:x'",
        ),
        ("INSERT INTO unlocks VALUES ('reseal', '*')", "DELETE FROM execution_events"),
        ("INSERT INTO unlocks VALUES ('archive', 'exe_other')", "DELETE FROM execution_events"),
    )
    for leave, change in refused:
        connection.execute(leave)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(change)
        connection.rollback()
    connection.execute("INSERT INTO unlocks VALUES ('reseal', '*')")
    connection.execute("UPDATE execution_events SET output_data = 'enc:k1:x' WHERE output_data IS NOT NULL")
    connection.rollback()
    connection.close()
