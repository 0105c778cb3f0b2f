"""Agents of manifests and registered agents with tools: sub-agents, approvals over a restart, limits, audit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tercet.agent.config import AgentConfig
from tercet.domain.errors import CostLimitExceededError, InvalidManifest
from tercet.harness import open_flow
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.settings import Settings
from tercet.store.agents import audit_of
from tercet.store.approvals import list_approvals
from tercet.store.listing import tasks_of
from tercet.testing.mock_claude import MockClaude, Script
from tercet.tools.base import ToolBase
from tercet.wiring import open_tercet

MANIFEST = """
name: sums
events: [{name: sum.asked}, {name: sum.done, description: final}]
agents:
  - name: boss
    instructions: Answer the sum.
    triggers: [{event: sum.asked}]
    emits: [{event: sum.done}]
    contract:
      output_schema: &sum
        type: object
        properties: {success: {type: boolean}, error: {type: string}, total: {type: integer}}
        required: [success, total]
    config: {model: haiku, allowed_tools: [Write, Task], subagents: [helper]}
  - name: helper
    instructions: Use the calculator.
    triggers: [{event: sum.asked, if: event.data.never == true}]
    contract:
      output_schema: *sum
    config: {model: haiku, allowed_tools: [calculator]}
"""
OWNER = Person(user="ada", role="owner", owner_id="local")


def _settings(mock: MockClaude, folder: Path) -> Settings:
    return Settings(_env_file=None, data_dir=folder, anthropic_api_key="k", anthropic_base_url=mock.base_url)


async def test_a_manifests_agent_uses_its_tools_and_its_subagent(tmp_path: Path):
    rules = [
        {
            "match": {"tool": "Task"},
            "replies": [
                {"tool_use": {"name": "Task", "input": {"subagent": "helper", "prompt": "What is 15 + 27?"}}},
                {"tool_use": {"name": "Write", "input": {"file_path": "a.md", "content": "done"}}},
                {"json": {"success": True, "total": 42}},
            ],
        }
    ]
    with MockClaude(Script.model_validate({"rules": rules})) as mock:
        async with open_flow(
            tmp_path, MANIFEST, anthropic_api_key="k", anthropic_base_url=mock.base_url
        ) as flow:
            execution = await flow.run("sum.asked", {"never": False})
            [data] = await flow.event_data(execution["id"], "sum.done")
            steps = [step["name"] for step in (await flow.tasks(execution["id"]))["boss"]["subtasks"]]
            audit = await flow.node.reader.read(audit_of, execution["id"])

    assert (execution["status"], data["total"]) == ("COMPLETED", 42)
    assert steps == [
        "turn:1",
        "tool:1:1/turn:1",
        "tool:1:1/tool:1:1",
        "tool:1:1/turn:2",
        "turn:2",
        "tool:2:1",
        "turn:3",
    ]
    assert [(row["agent"], row["tool"]) for row in audit] == [("helper", "calculator"), ("boss", "Write")]
    assert not list((tmp_path / "workspaces").rglob("a.md"))


async def test_a_manifest_that_names_an_unknown_tool_is_not_deployed(tmp_path: Path):
    with pytest.raises(InvalidManifest) as caught:
        async with open_flow(tmp_path, MANIFEST.replace("[calculator]", "[calculater]")):
            pass

    assert caught.value.detail[0]["field"] == "agents.1.config.allowed_tools"
    assert "calculator" in caught.value.detail[0]["hint"]


class ParcelTool(ToolBase):
    """Counts what it sends."""

    sent: list[Any] = []  # noqa: RUF012 shared by the instances of both nodes

    def __init__(self) -> None:
        super().__init__(name="parcel", description="Sends a parcel.", requires_approval=True)

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        self.sent.append(arguments)
        return {"sent": True}


async def test_a_call_that_waits_for_approval_survives_a_restart_and_is_made_once(tmp_path: Path):
    ParcelTool.sent.clear()
    rules = [
        {"match": {"turn": 0}, "reply": {"tool_use": {"name": "parcel", "input": {"to": "Ada"}}}},
        {"reply": {"text": "on its way"}},
    ]
    config = {"name": "P", "tools": {"parcel": True}, "custom_tools": {"parcel": {"class": "ParcelTool"}}}
    with MockClaude(Script.model_validate({"rules": rules})) as mock:
        async with open_tercet(_settings(mock, tmp_path)) as node:
            agent = await node.agents.create(AgentConfig.model_validate(config), owner_id="local")
            execution_id = await node.runs.start(agent, "send it", source="test")
            assert await node.runs.wait(execution_id) == "BLOCKED"
        assert ParcelTool.sent == []

        async with open_tercet(_settings(mock, tmp_path)) as node:
            [approval] = await node.reader.read(
                list_approvals, owner_id="local", status="pending", limit=5, after=None
            )
            await node.decisions.decide(
                approval["id"], Decision.model_validate({"decision": "approve"}), by=OWNER
            )
            assert await asyncio.wait_for(node.runs.wait(execution_id), 20) == "COMPLETED"
            outcome = await node.runs.outcome(execution_id)

    assert outcome["output"]["response"] == "on its way"
    assert ParcelTool.sent == [{"to": "Ada"}]


@pytest.mark.parametrize(
    "limit", ["max_call_usd", "max_cost_usd", "max_agent_usd", "max_day_usd", "max_owner_usd"]
)
async def test_each_limit_in_dollars_stops_the_run_that_would_break_it(tmp_path: Path, limit: str):
    config = {
        "name": "L",
        "model": "opus",
        "limits": {"max_cost_usd": None, "max_tokens": 1_000, limit: 0.03},
    }
    with MockClaude() as mock:
        async with open_tercet(_settings(mock, tmp_path)) as node:
            agent = await node.agents.create(AgentConfig.model_validate(config), owner_id="local")
            codes = []
            at_once = limit in ("max_call_usd", "max_cost_usd")
            for _ in range(1 if at_once else 3):
                text = "word " * (2_500 if at_once else 800)
                execution_id = await node.runs.start(agent, text, source="t")
                await node.runs.wait(execution_id)
                try:
                    await node.runs.outcome(execution_id)
                    codes.append("ok")
                except CostLimitExceededError:
                    codes.append("stopped")
            tasks = await node.reader.read(tasks_of, execution_id)

    assert codes[-1] == "stopped"
    assert tasks[-1]["error_type"] == "COST_LIMIT_REACHED"


async def test_a_limit_may_ask_a_person(tmp_path: Path):
    config = {"name": "L", "model": "opus", "limits": {"max_cost_usd": 0.001, "on_limit": "approve"}}
    with MockClaude() as mock:
        async with open_tercet(_settings(mock, tmp_path)) as node:
            agent = await node.agents.create(AgentConfig.model_validate(config), owner_id="local")
            execution_id = await node.runs.start(agent, "hello", source="t")
            assert await node.runs.wait(execution_id) == "BLOCKED"
            [approval] = await node.reader.read(
                list_approvals, owner_id="local", status="pending", limit=5, after=None
            )
            await node.decisions.decide(
                approval["id"], Decision.model_validate({"decision": "approve"}), by=OWNER
            )
            assert await asyncio.wait_for(node.runs.wait(execution_id), 20) == "COMPLETED"
