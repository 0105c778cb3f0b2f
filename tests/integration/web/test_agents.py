"""Agents over HTTP: the bodies of spec 3, field by field."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tercet.settings import Settings
from tercet.web.app import create_app
from tercet.wiring import open_tercet

CREATE = {
    "name": "Test Agent",
    "description": "Test agent",
    "agent_type": "llm",
    "model": "claude-sonnet-4-20250514",
    "api_key": "test-key",
    "is_active": True,
}
MATH = {
    "name": "Math Assistant",
    "role": "math expert",
    "instructions": "Use the calculator tool for arithmetic operations.",
    "tools": {"calculator": True},
    "custom_tools": {},
}


class Api:
    """The API of a running node, as its owner."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def get(self, path: str) -> httpx.Response:
        return await self._http.get(f"/api/v1{path}")

    async def post(self, path: str, body: Any) -> httpx.Response:
        return await self._http.post(f"/api/v1{path}", json=body)

    async def put(self, path: str, body: Any) -> httpx.Response:
        return await self._http.put(f"/api/v1{path}", json=body)

    async def delete(self, path: str) -> httpx.Response:
        return await self._http.delete(f"/api/v1{path}")

    async def until_ended(self, execution_id: str) -> dict[str, Any]:
        async with asyncio.timeout(20):
            while True:
                execution: dict[str, Any] = (await self.get(f"/executions/{execution_id}")).json()
                if execution["status"] in ("COMPLETED", "FAILED", "CANCELLED"):
                    return execution
                await asyncio.sleep(0.02)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with open_tercet(Settings(_env_file=None, data_dir=tmp_path)) as node:
        transport = httpx.ASGITransport(app=create_app(node), raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {node.admin_token}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://t", headers=headers) as http:
            yield Api(http)


async def made(api: Api, body: dict[str, Any]) -> str:
    answer = await api.post("/agents", body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


async def test_create_body_of_the_spec_makes_an_agent_whose_key_is_never_shown(api: Api):
    answer = await api.post("/agents", CREATE)

    assert answer.status_code == 200
    agent = answer.json()
    assert (agent["name"], agent["model"], agent["is_active"]) == ("Test Agent", CREATE["model"], True)
    assert agent["has_api_key"] is True
    assert "test-key" not in answer.text
    assert "test-key" not in (await api.get(f"/agents/{agent['id']}")).text


async def test_agent_config_makes_an_agent_plain_or_wrapped(api: Api):
    plain, wrapped = await made(api, MATH), await made(api, {"agent_config": MATH, "model": "haiku"})

    assert (await api.get(f"/agents/{plain}")).json()["tools"] == {"calculator": True}
    assert (await api.get(f"/agents/{wrapped}")).json()["model"] == "haiku"


async def test_execute_answers_with_the_fields_of_the_spec(api: Api):
    agent_id = await made(api, MATH)

    answer = await api.post(f"/agents/{agent_id}/execute", {"input": "What is 15 + 27?"})

    assert answer.status_code == 200
    body = answer.json()
    assert {
        "task_id",
        "agent_id",
        "model",
        "input",
        "output",
        "tokens_used",
        "cost_usd",
        "state",
        "created_at",
    } <= set(body)
    assert (body["agent_id"], body["input"], body["state"]) == (agent_id, "What is 15 + 27?", "completed")
    assert set(body["output"]) == {
        "response", "tool_results", "conversation_history", "tokens_used", "cost_usd", "state",
    }  # fmt: skip
    assert "42" in body["output"]["response"]
    assert body["output"]["tool_results"][0]["result"] == {"operation": "add", "result": 42}
    assert [line["role"] for line in body["output"]["conversation_history"]] == ["user", "assistant"]
    assert body["tokens_used"] == body["output"]["tokens_used"] > 0
    assert body["cost_usd"] > 0


async def test_a_run_is_an_execution_with_its_events_costs_and_audit(api: Api):
    agent_id = await made(api, MATH)
    run = (await api.post(f"/agents/{agent_id}/execute", {"input": "What is 6 * 7?"})).json()

    execution = (await api.get(f"/executions/{run['execution_id']}")).json()
    audit = (await api.get(f"/executions/{run['execution_id']}/tool-calls")).json()

    assert (execution["status"], execution["kind"], execution["name"]) == (
        "COMPLETED",
        "agent",
        "Math Assistant",
    )
    assert [step["name"] for step in execution["tasks"][0]["subtasks"]] == ["turn:1", "tool:1:1", "turn:2"]
    assert execution["costs"]["calls"] == 2
    assert [(call["tool"], call["outcome"]) for call in audit["items"]] == [("calculator", "success")]
    assert audit["chain_broken_at"] is None


async def test_tools_route_lists_what_the_agent_has(api: Api):
    agent_id = await made(api, {**MATH, "tools": {"calculator": True, "http_request": False}})

    body = (await api.get(f"/agents/{agent_id}/tools")).json()

    assert body["total_tools"] == 2
    by_name = {tool["name"]: tool for tool in body["tools"]}
    assert by_name["calculator"]["enabled"] is True
    assert by_name["http_request"]["enabled"] is False
    assert by_name["calculator"]["description"].startswith("Performs arithmetic operations")


async def test_test_route_answers_with_the_fields_of_the_spec(api: Api):
    agent_id = await made(api, MATH)

    body = (await api.post(f"/agents/{agent_id}/test", {"input": "Test the calculator tool"})).json()

    assert body["success"] is True
    assert body["test_input"] == "Test the calculator tool"
    assert body["test_output"]["state"] == "completed"
    assert body["test_output"]["tool_results"][0]["tool"] == "calculator"
    assert {"agent_id", "model", "timestamp", "tokens_used", "cost_usd", "conversation_history"} <= set(body)


async def test_put_changes_delete_answers_204_and_then_the_agent_is_gone(api: Api):
    agent_id = await made(api, MATH)

    changed = await api.put(f"/agents/{agent_id}", {"instructions": "Be brief.", "is_active": False})
    assert changed.status_code == 200
    assert changed.json()["instructions"] == "Be brief."
    assert changed.json()["role"] == "math expert"
    assert changed.json()["revision"] == 2
    refused = await api.post(f"/agents/{agent_id}/execute", {"input": "hi"})
    assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")

    assert agent_id in [agent["id"] for agent in (await api.get("/agents")).json()]
    assert (await api.delete(f"/agents/{agent_id}")).status_code == 204
    assert (await api.get(f"/agents/{agent_id}")).status_code == 404
    assert (await api.get("/agents")).json() == []


async def test_an_unknown_tool_is_refused_with_its_name_when_the_agent_is_made(api: Api):
    answer = await api.post("/agents", {**MATH, "tools": {"teleport": True}})

    assert answer.status_code == 422
    body = answer.json()
    assert (body["success"], body["code"], body["tool_name"]) == (False, "TOOL_NOT_FOUND", "teleport")
    assert "calculator" in body["hint"]


async def test_an_unknown_mcp_server_is_refused_with_its_name_when_the_agent_is_made(api: Api):
    answer = await api.post("/agents", {"name": "Math", "mcp_servers": ["nowhere"]})

    assert answer.status_code == 422
    assert (answer.json()["code"], answer.json()["tool_name"]) == ("TOOL_NOT_FOUND", "nowhere")


def _nested(depth: int) -> dict[str, Any]:
    return {"name": f"level {depth}"} | ({"subagents": [_nested(depth - 1)]} if depth else {})


async def test_sub_agents_nested_four_deep_are_refused_and_three_deep_are_taken(api: Api):
    assert (await api.post("/agents", _nested(4))).status_code == 422
    assert (await api.post("/agents", _nested(3))).status_code == 200


async def test_bad_bodies_name_the_field_and_store_nothing(api: Api):
    bodies: tuple[Any, ...] = (
        {},
        {"name": ""},
        {"name": "x", "model": "no-such-model"},
        {"name": "x", "tools": []},
        {"name": "x", "surprise": 1},
        {"name": "x", "custom_tools": {"y": {"class": "os.system"}}},
        {"name": "x", "limits": {"max_turns": 0}},
        {"name": "x", "output_schema": {"type": "no such type"}},
        [],
    )
    for body in bodies:
        answer = await api.post("/agents", body)
        assert answer.status_code == 422, body
        assert answer.json()["success"] is False
    assert (await api.get("/agents")).json() == []


async def test_streaming_tells_of_the_call_the_text_and_the_result(api: Api):
    agent_id = await made(api, MATH)

    answer = await api.post(f"/agents/{agent_id}/execute", {"input": "What is 15 + 27?", "stream": True})

    kinds = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert kinds[0] == "task.started"
    assert kinds[-1] == "task.completed"
    assert kinds.index("task.tool_use") < kinds.index("task.tool_result") < kinds.index("task.progress")
    assert '"state":"completed"' in answer.text


async def test_a_conversation_remembers_what_was_said(api: Api):
    agent_id = await made(api, MATH)
    conversation_id = (await api.post(f"/agents/{agent_id}/conversations", {})).json()["conversation_id"]

    for text in ("My name is Ada.", "What is 2 + 2?"):
        body = {"input": text, "conversation_id": conversation_id}
        run = (await api.post(f"/agents/{agent_id}/execute", body)).json()

    assert run["output"]["conversation_history"][0]["content"] == "My name is Ada."
    assert len(run["output"]["conversation_history"]) == 4
    stranger = {"input": "x", "conversation_id": "cnv_none"}
    assert (await api.post(f"/agents/{agent_id}/execute", stranger)).status_code == 404


async def test_metrics_count_runs_tokens_costs_and_errors(api: Api):
    agent_id = await made(api, {**MATH, "limits": {"max_turns": 1, "max_retries": 0}})
    failed = await api.post(f"/agents/{agent_id}/execute", {"input": "What is 15 + 27?"})
    done = await api.post(f"/agents/{agent_id}/execute", {"input": "Hello"})

    figures = (await api.get(f"/agents/{agent_id}/metrics")).json()

    assert (failed.status_code, failed.json()["code"]) == (502, "TURN_LIMIT_REACHED")
    assert done.status_code == 200
    assert (figures["runs"], figures["completed"], figures["failed"], figures["success_rate"]) == (
        2,
        1,
        1,
        0.5,
    )
    assert figures["errors_by_type"] == {"TURN_LIMIT_REACHED": 1}
    assert figures["tokens_used"] > 0
    assert figures["cost_usd"] > 0
    assert figures["mean_seconds"] is not None


async def test_a_run_over_its_money_limit_fails_with_the_cost_code(api: Api):
    agent_id = await made(api, {**MATH, "limits": {"max_cost_usd": 0.000001}})

    answer = await api.post(f"/agents/{agent_id}/execute", {"input": "What is 1 + 1?"})

    assert (answer.status_code, answer.json()["code"]) == (402, "COST_LIMIT_EXCEEDED")


async def test_a_call_that_needs_approval_waits_and_runs_once_when_approved(api: Api):
    agent_id = await made(api, {**MATH, "tools": {"calculator": {"requires_approval": True}}})

    waiting = await api.post(f"/agents/{agent_id}/execute", {"input": "What is 15 + 27?"})
    assert (waiting.status_code, waiting.json()["state"], waiting.json()["output"]) == (202, "waiting", None)
    [approval] = (await api.get("/approvals")).json()["items"]
    shown = (await api.get(f"/approvals/{approval['approval_id']}")).json()
    assert shown["items"][0]["data"]["arguments"] == {"operation": "add", "a": 15, "b": 27}
    await api.post(f"/approvals/{approval['approval_id']}/decision", {"decision": "approve"})
    execution = await api.until_ended(waiting.json()["execution_id"])

    assert execution["status"] == "COMPLETED"
    audit = (await api.get(f"/executions/{execution['execution_id']}/tool-calls")).json()
    assert [call["outcome"] for call in audit["items"]] == ["success"]


async def test_tool_registry_lists_shows_and_tries_tools(api: Api):
    names = {tool["name"] for tool in (await api.get("/tools")).json()["items"]}
    assert {
        "calculator",
        "http_request",
        "email",
        "slack",
        "csv",
        "calendar",
        "Read",
        "Write",
        "Glob",
    } <= names
    assert (await api.get("/tools/calculator")).json()["permission"] == "tool:calculator"
    assert (await api.get("/tools/none")).status_code == 404
    tried = await api.post(
        "/tools/calculator/test", {"arguments": {"operation": "sqrt", "a": 2, "precision": 3}}
    )
    assert tried.json()["result"]["result"] == 1.414
    unsure = await api.post("/tools/Write/test", {"arguments": {"file_path": "a.txt", "content": "x"}})
    assert unsure.status_code == 422


async def test_cost_suggestions_carry_their_numbers(api: Api):
    agent_id = await made(api, {**MATH, "model": "opus"})
    await api.post(f"/agents/{agent_id}/execute", {"input": "What is 15 + 27?"})

    items = (await api.get("/costs/suggestions")).json()["items"]

    cheaper = next(item for item in items if item["kind"] == "cheaper_model")
    assert cheaper["proposal"] == "use claude-sonnet-5-5"
    assert cheaper["estimated_usd"] < cheaper["current_usd"]
    assert cheaper["numbers"]["calls"] == 2
