"""Plans over HTTP and in the terminal's client: import, schedule, export, delete."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.settings import Settings
from tercet.web.app import create_app
from tercet.wiring import open_tercet

PLAN: dict[str, Any] = {
    "title": "Fence",
    "goal": "A new fence",
    "phases": [
        {
            "phase_id": "build", "name": "Build",
            "tasks": [
                {"task_id": "buy", "title": "Buy wood", "estimated_hours": 8},
                {"task_id": "set", "title": "Set posts", "estimated_hours": 16, "prerequisites": ["buy"]},
                {"task_id": "paint", "title": "Paint samples", "estimated_hours": 4, "prerequisites": ["buy", "ghost"]},
            ],
        }
    ],
}  # fmt: skip


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with open_tercet(Settings(_env_file=None, data_dir=tmp_path)) as node:
        transport = httpx.ASGITransport(app=create_app(node), raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {node.admin_token}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://t/api/v1", headers=headers
        ) as client:
            yield client


async def imported(http: httpx.AsyncClient, content: Any = None, **params: Any) -> dict[str, Any]:
    raw = content if isinstance(content, bytes) else json.dumps(content or PLAN).encode()
    answer = await http.post("/plans/import", content=raw, params=params)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_a_plan_is_imported_and_what_is_wrong_in_it_is_named(http: httpx.AsyncClient):
    answer = await imported(http)

    assert (answer["phases_total"], answer["tasks_total"], answer["source"]) == (1, 3, "json")
    assert [problem["rule"] for problem in answer["problems"]] == ["dangling-dependency"]
    shown = (await http.get(f"/plans/{answer['plan_id']}")).json()
    assert shown["plan"]["phases"][0]["tasks"][2]["prerequisites"] == ["buy"]
    assert [item["title"] for item in (await http.get("/plans")).json()["items"]] == ["Fence"]


async def test_tasks_carry_their_planned_times_and_the_critical_path(http: httpx.AsyncClient):
    plan_id = (await imported(http))["plan_id"]

    body = (
        await http.get(f"/plans/{plan_id}/tasks", params={"start": "2026-11-27", "timezone": "Europe/Berlin"})
    ).json()

    assert (body["critical_path"], body["total_hours"]) == (["buy", "set"], 24)
    shown = ("planned_start", "planned_finish", "total_float_hours")
    times = {item["task_id"]: tuple(item[name] for name in shown) for item in body["items"]}
    assert times["set"] == ("2026-11-30T08:00:00Z", "2026-12-01T16:00:00Z", 0)
    assert times["paint"] == ("2026-11-30T08:00:00Z", "2026-11-30T12:00:00Z", 12)


async def test_exports_read_back_and_calendars_open(http: httpx.AsyncClient):
    plan_id = (await imported(http))["plan_id"]

    as_json = await http.get(f"/plans/{plan_id}/export")
    as_csv = await http.get(f"/plans/{plan_id}/export", params={"format": "csv"})
    as_ical = await http.get(f"/plans/{plan_id}/export", params={"format": "ical", "start": "2026-11-27"})

    assert (await imported(http, as_json.content))["problems"] == []
    again = await imported(http, as_csv.content, title="Again")
    assert (again["source"], again["tasks_total"], again["title"]) == ("csv", 3, "Again")
    assert as_ical.text.count("BEGIN:VEVENT") == 3


async def test_a_run_brings_its_costs_into_the_ledger(http: httpx.AsyncClient):
    task = {"id": "t", "description": "T"}
    phase = {"id": "p", "description": "P", "task_children": [task]}
    tree = {"wbs_project": {"id": "r", "description": "Run", "task_children": [phase]}}
    call = {"success": True, "model": "m", "input_tokens": 10, "output_tokens": 5, "cost_usd": 9.35e-05}
    usage = [
        {"timestamp": "2026-03-12T10:02:19", **call},
        {"timestamp": "2026-03-12T10:02:20", "success": False, "model": "m", "error_message": "no answer"},
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("023-3-tree.json", json.dumps(tree))
        archive.writestr("usage_metrics.jsonl", "\n".join(map(json.dumps, usage)))

    answer = await imported(http, out.getvalue())
    [row] = (await http.get("/ledger")).json()["items"]

    assert answer["usage_calls"] == 2
    assert (row["key"], row["calls"], row["cost_usd"], row["flagged_calls"]) == ("planexe", 2, 9.35e-05, 1)


async def test_a_cycle_is_refused_with_the_cycle_and_nothing_is_stored(http: httpx.AsyncClient):
    tasks = [
        {"task_id": "a", "title": "A", "prerequisites": ["b"]},
        {"task_id": "b", "title": "B", "prerequisites": ["a"]},
    ]
    answer = await http.post(
        "/plans/import", json={"title": "C", "phases": [{"phase_id": "p", "tasks": tasks}]}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "CYCLIC_PLAN")
    assert "'A'" in answer.json()["error"]
    assert (await http.get("/plans")).json()["items"] == []


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"PK\x03\x04 broken", b"\x00\x01\x02", b"a,b\n1,2\n", b'{"title": "x"}']
)
async def test_what_is_no_plan_is_refused_and_nothing_is_stored(http: httpx.AsyncClient, content: bytes):
    answer = await http.post("/plans/import", content=content)

    assert answer.status_code == 422
    assert answer.json()["success"] is False
    assert (await http.get("/plans")).json()["items"] == []


async def test_a_deleted_plan_is_gone(http: httpx.AsyncClient):
    plan_id = (await imported(http))["plan_id"]

    assert (await http.delete(f"/plans/{plan_id}")).status_code == 204
    for path in ("", "/tasks", "/export"):
        assert (await http.get(f"/plans/{plan_id}{path}")).status_code == 404
    assert (await http.get(f"/plans/{plan_id}/tasks", params={"timezone": "Mars/Base"})).status_code in (
        404,
        422,
    )


async def test_an_unknown_time_zone_is_refused(http: httpx.AsyncClient):
    plan_id = (await imported(http))["plan_id"]

    assert (await http.get(f"/plans/{plan_id}/tasks", params={"timezone": "Mars/Base"})).status_code == 422
