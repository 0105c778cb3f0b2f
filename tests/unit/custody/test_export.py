"""An export is complete, its owner's alone, readable without Tercet, and without secrets."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

from tests.unit.custody.conftest import CANARY, open_shop, order

from tercet.agent.config import AgentConfig
from tercet.custody.export import Export
from tercet.store.exporting import exported_columns, exported_tables
from tercet.store.keys import FILE_NAME
from tercet.store.tables import metadata

NOBODYS = {"unlocks", "archives", "received_messages"}
"""Tables without a row that is anybody's."""
SECRET = {"token_digest", "lease_token", "api_key_sealed", "webhook_secret_sealed", "secret_sealed"}


def unpack(export: Export, owner_id: str = "local") -> dict[str, str]:
    packed = zipfile.ZipFile(io.BytesIO(b"".join(export.stream(owner_id))))
    assert packed.testzip() is None
    return {name: packed.read(name).decode() for name in packed.namelist()}


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_table_is_exported_or_nobodys_and_only_secrets_are_left_out():
    exported = {table.name for table in exported_tables()}
    left_out = {
        column.name
        for table in exported_tables()
        for column in table.columns
        if column.name not in {shown.name for shown in exported_columns(table)}
    }

    assert {table.name for table in metadata.sorted_tables} - exported == NOBODYS
    assert left_out == SECRET


async def test_an_export_has_every_row_of_its_owner_in_clear(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        files = unpack(flow.node.custody.export)
        connection = sqlite3.connect(tmp_path / "tercet.db")
        for table in exported_tables():
            (count,) = connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()
            if table.name != "timers":
                assert len(lines(files[f"tables/{table.name}.jsonl"])) == count, table.name
        connection.close()
        events = lines(files["tables/execution_events.jsonl"])
        assert events[0]["output_data"] == {"name": CANARY}
        assert "enc:" not in "".join(files.values())
        assert f'"name":"{CANARY}"' in files[f"readable/{execution_id}.md"]
        assert "README.md" in files


async def test_archived_executions_are_in_the_export_and_lost_with_nothing(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        execution_id = await order(flow)
        before = unpack(flow.node.custody.export)
        await flow.node.custody.archive.run(older_than_ms=0)
        after = unpack(flow.node.custody.export)

        assert after[f"readable/{execution_id}.md"] == before[f"readable/{execution_id}.md"]
        archived = lines(after[f"archived/{execution_id}.jsonl"])
        for table in ("executions", "execution_tasks", "execution_subtasks", "approval_items", "approvals"):
            assert [row["row"] for row in archived if row["table"] == table] == lines(
                before[f"tables/{table}.jsonl"]
            )


async def test_an_export_holds_nothing_of_others_and_no_secrets(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
        agent = AgentConfig(name="ada", role="helps")
        await flow.node.agents.create(agent, owner_id="local", api_key="secret-api-key")
        await flow.node.agents.create(agent, owner_id="other", api_key="secret-api-key")
        _, token = await flow.node.tokens.create(user="eve", role="owner", owner_id="other")
        mine, others = unpack(flow.node.custody.export), unpack(flow.node.custody.export, "other")

        everything = "".join([*mine.values(), *others.values()])
        assert "secret-api-key" not in everything
        assert token not in everything
        assert CANARY not in "".join(others.values())
        assert [row["user"] for row in lines(others["tables/tokens.jsonl"])] == ["eve"]
        assert [row["owner_id"] for row in lines(others["tables/agents.jsonl"])] == ["other"]
        assert len(lines(others["tables/agent_revisions.jsonl"])) == 1
        assert [name for name in others if name.startswith(("readable/", "archived/"))] == []


async def test_a_lost_key_takes_its_texts_and_leaves_the_rest_of_the_export(tmp_path: Path):
    async with open_shop(tmp_path) as flow:
        await order(flow)
    (tmp_path / FILE_NAME).write_text('{"k9": "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE="}')
    async with open_shop(tmp_path) as flow:
        later = await order(flow, "after")
        files = unpack(flow.node.custody.export)

        rows = lines(files["tables/execution_events.jsonl"])
        assert rows[0]["unreadable"] == ["output_data"]
        assert next(row["output_data"] for row in rows if row["execution_id"] == later) == {"name": "after"}
