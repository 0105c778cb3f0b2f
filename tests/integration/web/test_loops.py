"""Loops over HTTP: start, look, fork; what is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.integration.loop.opened import CONTINUE, DONE, EXECUTOR, opened, plans, says

from tercet.web.app import create_app
from tercet.wiring import Tercet

RULES = [plans("one", "two"), says(EXECUTOR, DONE), CONTINUE]


class Api:
    def __init__(self, node: Tercet, http: httpx.AsyncClient) -> None:
        self.node = node
        self.http = http

    async def call(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = await self.http.request(method, f"/api/v1{path}", **options)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with opened(tmp_path, RULES) as node:
        transport = httpx.ASGITransport(app=create_app(node), raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {node.admin_token}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://t", headers=headers) as http:
            yield Api(node, http)


async def test_a_loop_is_started_once_and_stands_among_the_executions(api: Api):
    body = {"goal": "Reach it", "max_iters": 5, "tools": [], "idempotency_key": "k1"}
    first = await api.call("POST", "/loops", 201, json=body)
    again = await api.call("POST", "/loops", 201, json=body)
    await api.node.runs.wait(first["execution_id"])
    shown = await api.call("GET", f"/loops/{first['execution_id']}")
    [task] = (await api.call("GET", f"/executions/{first['execution_id']}"))["tasks"]
    [listed] = (await api.call("GET", "/executions?kind=loop"))["items"]

    assert again["execution_id"] == first["execution_id"] == listed["execution_id"]
    assert (listed["name"], listed["status"]) == ("Reach it", "COMPLETED")
    assert {"1:planner", "1:planner/turn:1", "2:executor"} <= {step["name"] for step in task["subtasks"]}
    assert (shown["turn"], shown["next_node"], shown["state"]["reason"]) == (5, None, "finished")


async def test_a_loop_is_looked_at_after_a_turn_and_forked_there(api: Api):
    started = await api.call("POST", "/loops", 201, json={"goal": "Reach it", "tools": []})
    await api.node.runs.wait(started["execution_id"])
    path = f"/loops/{started['execution_id']}"
    earlier = await api.call("GET", f"{path}?turn=3")
    forked = await api.call("POST", f"{path}/fork", 201, json={"turn": 3, "changes": {"max_iters": 3}})
    await api.node.runs.wait(forked["execution_id"])
    end = await api.call("GET", f"/loops/{forked['execution_id']}")

    assert (earlier["turn"], earlier["next_node"], earlier["state"]["current_step"]) == (3, "executor", 1)
    assert forked["execution_id"] != started["execution_id"]
    assert (end["state"]["reason"], end["state"]["max_iters"]) == ("finished", 3)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "goal"),
        ({"goal": ""}, 422, "goal"),
        ({"goal": "g", "max_iters": 0}, 422, "max_iters"),
        ({"goal": "g", "budget_usd": "NaN"}, 422, "budget_usd"),
        ({"goal": "g", "budget_usd": -1}, 422, "budget_usd"),
        ({"goal": "g", "executors": ["robot"]}, 422, "executors"),
        ({"goal": "g", "executors": ["robot:x"]}, 422, "executors"),
        ({"goal": "g", "tools": ["nothing"]}, 422, "tools"),
        ({"goal": "g", "unknown": 1}, 422, "unknown"),
        ({"goal": "g", "workspace": "/etc"}, 403, None),
        ([], 422, "body"),
        ({"goal": "g", "idempotency_key": 1}, 422, "idempotency_key"),
    ],
)
async def test_what_cannot_be_started_is_refused_with_its_field(
    api: Api, body: Any, status: int, field: str | None
):
    answer = await api.call("POST", "/loops", status, json=body)

    assert [part["field"] for part in answer.get("detail", [])] == ([field] if field else [])
    assert (await api.call("GET", "/executions?kind=loop"))["items"] == []


async def test_forks_that_name_a_folder_a_wrong_turn_or_a_wrong_value_are_refused(api: Api):
    started = await api.call("POST", "/loops", 201, json={"goal": "Reach it", "tools": []})
    await api.node.runs.wait(started["execution_id"])
    path = f"/loops/{started['execution_id']}/fork"

    await api.call("POST", path, 403, json={"turn": 1, "changes": {"workspace": "/etc"}})
    await api.call("POST", path, 422, json={"turn": 77})
    await api.call("POST", path, 422, json={"turn": 1, "changes": {"max_iters": "many"}})
    await api.call("POST", "/loops/exe_0/fork", 404, json={"turn": 1})
    await api.call("GET", "/loops/exe_0", 404)
