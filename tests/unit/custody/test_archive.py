"""Archives: out and back row by row, nothing lost between, and every change to a file is noticed."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.custody.conftest import CANARY, MANIFEST, open_shop, order

from tercet.custody.archive import Archive
from tercet.custody.daily import DAY_MS
from tercet.domain.errors import ArchiveDamaged, Conflict, NotFound, StaleClaim
from tercet.harness import Flow
from tercet.store.archive_files import CHAIN, ArchiveFolder, Content
from tercet.store.custody_statements import OF_EXECUTIONS
from tercet.store.listing import costs_of
from tercet.store.tables import metadata
from tercet.testing.log_check import differences
from tercet.testing.virtual_time import VirtualClock

STAYS = {
    "ledger", "event_keys", "conversation_messages", "archived_executions", "approvals", "deliveries", "reveals",
}  # fmt: skip
"""Tables that name an execution and are not archived with it: money, keys of what was sent, conversations, notices on
their way, who looked at clear data."""


def rows(folder: Path) -> dict[str, list[Any]]:
    """Return every row that belongs to executions, as the database has it, without the surrogate position."""
    connection = sqlite3.connect(folder / "tercet.db")
    connection.row_factory = sqlite3.Row
    found = {}
    for table in [*(table.name for table in OF_EXECUTIONS), "approvals", "ledger", "event_keys"]:
        stored = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
        for row in stored:
            row.pop("position", None)
        found[table] = sorted(stored, key=repr)
    connection.close()
    return found


def archive_of(flow: Flow) -> Archive:
    return flow.node.custody.archive


def test_every_table_that_names_an_execution_is_archived_or_said_to_stay():
    naming = {table.name for table in metadata.sorted_tables if "execution_id" in table.c}

    assert naming - {table.name for table in OF_EXECUTIONS} == STAYS


async def test_a_restored_execution_equals_what_was_archived_row_by_row(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        gone = [await order(flow), await order(flow, f"{CANARY} who fails")]
        await flow.node.cancelling.cancel_execution(gone[1], by="ada", reason="no address")
        waiting = await flow.send("order.sent", {"name": "still here"})
        await flow.idle()
        before = rows(tmp_path)

        done = await archive_of(flow).run(older_than_ms=0)
        left = rows(tmp_path)
        restored = await archive_of(flow).restore(gone[0])
        rest = await archive_of(flow).restore(str(tmp_path / "archive" / str(done.file)))

        assert (done.executions, done.skipped, done.cursor) == (2, [], None)
        assert {row["id"] for row in left["executions"]} == {waiting}
        assert {row["execution_id"] for row in left["execution_events"]} == {waiting}
        assert (restored, rest) == ([gone[0]], [gone[1]])
        assert rows(tmp_path) == before
        assert await flow.node.reader.read(differences) == []
        assert await flow.event_data(gone[0], "order.sent") == [{"name": CANARY}]


async def test_an_execution_can_be_archived_again_after_it_came_back(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        before = rows(tmp_path)
        for number in range(3):
            done = await archive_of(flow).run(older_than_ms=0)
            assert done.file is not None
            assert done.file.endswith(f"archive-{number + 1:06}.jsonl.gz")
            assert await archive_of(flow).restore(execution_id) == [execution_id]

        assert rows(tmp_path) == before
        assert await archive_of(flow).verify() == {"files": 3, "problems": []}


async def test_nothing_is_taken_that_is_young_or_waits(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
        await flow.send("order.sent", {"name": "waits"})
        await flow.idle()
        before = rows(tmp_path)

        assert await archive_of(flow).candidates(older_than_ms=0) == {"local": 1}
        assert await archive_of(flow).candidates(older_than_ms=DAY_MS) == {}
        assert (await archive_of(flow).run(older_than_ms=DAY_MS)).file is None
        assert rows(tmp_path) == before
    assert not (tmp_path / "archive").exists()


async def test_what_happens_to_an_archived_execution_is_refused_and_leaves_no_rows(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        async with flow.node.engine.hold(execution_id) as state:
            await archive_of(flow).run(older_than_ms=0)
            with pytest.raises(StaleClaim):
                flow.node.engine.change(state)
        with pytest.raises(NotFound):
            async with flow.node.engine.hold(execution_id):
                pass
        assert all(
            not found for name, found in rows(tmp_path).items() if name not in ("ledger", "event_keys")
        )


async def test_sums_of_money_stay_as_they_were(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        before = rows(tmp_path)["ledger"], await flow.node.reader.read(costs_of, execution_id)
        await archive_of(flow).run(older_than_ms=0)

        assert (rows(tmp_path)["ledger"], await flow.node.reader.read(costs_of, execution_id)) == before


async def test_personal_data_are_sealed_in_archives_also_when_the_rows_were_plain(tmp_path: Path):
    async with open_shop(tmp_path, encrypt_at_rest=False) as flow:
        execution_id = await order(flow)
    async with open_shop(tmp_path) as flow:
        done = await archive_of(flow).run(older_than_ms=0)
        assert CANARY.encode() not in gzip.decompress((tmp_path / "archive" / str(done.file)).read_bytes())
        assert await archive_of(flow).keys_in_use() == {"k1": 1}

        await archive_of(flow).restore(execution_id)
        assert await flow.event_data(execution_id, "order.sent") == [{"name": CANARY}]


async def test_a_key_that_an_archive_needs_does_not_go(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
        await archive_of(flow).run(older_than_ms=0)
        keys = flow.node.custody.keys
        await keys.rotate()
        cursor = (await keys.reseal()).cursor
        while cursor is not None:
            cursor = (await keys.reseal(cursor)).cursor
        with pytest.raises(Conflict, match="1 archive files"):
            await keys.drop("k1", archive_of(flow).keys_in_use)


def _change_content(archive: Path) -> None:
    path = next(archive.rglob("archive-000002.jsonl.gz"))
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"COMPLETED", b"CANCELLED")))


def _take_away(archive: Path) -> None:
    next(archive.rglob("archive-000002.jsonl.gz")).unlink()


def _cover_up(archive: Path) -> None:
    """Change a line of the chain, as if the file had been written so."""
    lines = (archive / CHAIN).read_text().splitlines()
    lines[1] = lines[1].replace('"executions":1', '"executions":7')
    (archive / CHAIN).write_text("\n".join(lines) + "\n")


def _cut_short(archive: Path) -> None:
    lines = (archive / CHAIN).read_text().splitlines()
    (archive / CHAIN).write_text("\n".join(lines[:-1]) + "\n")


def _garble(archive: Path) -> None:
    (archive / CHAIN).write_text("not a chain\n")


@pytest.mark.parametrize(
    ("tamper", "file", "problem"),
    [
        (_change_content, "archive-000002.jsonl.gz", "the content was changed"),
        (_take_away, "archive-000002.jsonl.gz", "the file is missing"),
        (_cover_up, CHAIN, "line 2: it was changed"),
        (_cut_short, CHAIN, "the line of archive 3 is missing"),
        (_garble, CHAIN, "line 1: it cannot be read"),
    ],
)
async def test_a_changed_archive_is_found_and_nothing_of_it_is_put_back(
    tmp_path: Path, tamper: Callable[[Path], None], file: str, problem: str
):
    async with open_shop(tmp_path) as flow:
        executions = []
        for _ in range(3):
            executions.append(await order(flow))
            await archive_of(flow).run(older_than_ms=0)
        assert await archive_of(flow).verify() == {"files": 3, "problems": []}

        tamper(tmp_path / "archive")

        problems = (await archive_of(flow).verify())["problems"]
        assert (problems[0]["file"].rsplit("/", 1)[-1], problems[0]["problem"]) == (file, problem)
        with pytest.raises((ArchiveDamaged, NotFound)):
            await archive_of(flow).restore(executions[2 if tamper is _cut_short else 1])
        assert rows(tmp_path)["executions"] == []


async def test_an_interrupted_run_loses_nothing_and_the_next_one_takes_the_same(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        before = rows(tmp_path)
        # What a crash between the chain's line and the first deletion leaves behind.
        ArchiveFolder(tmp_path / "archive").write(iter([]), Content(), now_ms=1_790_000_000_000)

        assert (await archive_of(flow).run(older_than_ms=0)).executions == 1
        assert await archive_of(flow).verify() == {"files": 2, "problems": []}
        assert await archive_of(flow).restore(execution_id) == [execution_id]
        assert rows(tmp_path) == before


async def test_an_execution_that_went_on_after_it_was_read_stays(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        engine = flow.node.engine
        async with engine.hold(execution_id) as state:
            change = engine.change(state)
            seq = change.log("note", message="on its way to the disk")
            done = await archive_of(flow).run(older_than_ms=0)
            await engine.submit(change)

        assert (done.executions, done.skipped) == (0, [execution_id])
        assert max(row["seq"] for row in rows(tmp_path)["execution_events"]) == seq
        assert (await archive_of(flow).run(older_than_ms=0)).executions == 1


async def test_a_bundle_keeps_its_executions_until_it_is_decided_and_comes_back_with_any_of_them(
    tmp_path: Path,
):
    manifest = MANIFEST.replace(
        "    editable: [note]", "    editable: [note]\n    bundle: {key: shop, expects: 2}"
    )
    async with open_shop(tmp_path, manifest=manifest) as flow:
        one, two = [await flow.send("order.sent", {"name": name, "shop": "a"}) for name in ("Ada", "Bob")]
        await flow.idle()
        (approval,) = await flow.approvals()
        items = {item["execution_id"]: item["id"] for item in approval["items"]}
        await flow.decide(approval["id"], decision="approve", items=[items[one]])
        await flow.idle()
        assert (await archive_of(flow).run(older_than_ms=0)).executions == 0

        await flow.decide(approval["id"], decision="approve", items=[items[two]])
        await flow.idle()
        before = rows(tmp_path)
        assert (await archive_of(flow).run(older_than_ms=0)).executions == 2
        assert rows(tmp_path)["approvals"] == []
        await archive_of(flow).restore(two)
        assert rows(tmp_path)["approvals"] == before["approvals"]
        await archive_of(flow).restore(one)
        assert rows(tmp_path) == before


async def test_a_daily_run_archives_what_ended_long_enough_ago(tmp_path: Path):
    start_ms = 1_790_000_000_000
    async with open_shop(tmp_path, clock=VirtualClock(start_ms), archive_after_days=3) as flow:
        execution_id = await order(flow)
    for days, executions in ((2, 1), (4, 0)):
        (timer,) = rows(tmp_path)["timers"]
        async with open_shop(
            tmp_path, clock=VirtualClock(start_ms + days * DAY_MS), archive_after_days=3
        ) as flow:
            for _ in range(3_000):
                if (
                    len(rows(tmp_path)["executions"]) == executions
                    and rows(tmp_path)["timers"][0]["due_at_ms"] > timer["due_at_ms"]
                ):
                    break
                await asyncio.sleep(0.01)
            await flow.idle()
            assert len(rows(tmp_path)["executions"]) == executions
    async with open_shop(tmp_path) as flow:
        assert await archive_of(flow).restore(execution_id) == [execution_id]
