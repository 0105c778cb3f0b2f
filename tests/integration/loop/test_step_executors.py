"""Steps that are handed on: to people, functions, registered agents, agent workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.integration.loop.opened import CONTINUE, DONE, EXECUTOR, end, opened, plans, says, start

from tercet.agent.config import AgentConfig
from tercet.domain.errors import InvalidInput
from tercet.flows.handlers import HandlerTable
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.loop.step_executors import REPORT_EVENT, StepTurn, worker_executor
from tercet.manifest.checks import open_text
from tercet.store.approvals import list_approvals, load_approval
from tercet.store.reader import Record
from tercet.wiring import Tercet

ADA = Person(user="ada", role="owner", owner_id="local")
FORM = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
MANIFEST = """
name: shop
events: [{name: order.placed}]
functions:
  - {name: count, trigger: {event: order.placed}, handler: "test:count"}
"""


async def approval_of(node: Tercet) -> Record:
    [row] = await node.reader.read(list_approvals, owner_id="local", status="pending", limit=5, after=None)
    approval: Record | None = await node.reader.read(load_approval, row["id"])
    assert approval is not None
    return approval


async def test_a_person_does_a_step_with_a_form_and_the_loop_goes_on(tmp_path: Path):
    step = {"step": "Choose a colour", "executor": "human", "options": {"form": FORM}}
    async with opened(tmp_path, [plans(step, "paint"), says(EXECUTOR, DONE), CONTINUE]) as node:
        execution_id = await start(node, executors=["agent", "human"])
        assert await node.runs.wait(execution_id) == "BLOCKED"
        approval = await approval_of(node)
        standing = await node.loops.standing(execution_id, owner_id="local")
        decision = Decision.model_validate({"decision": "approve", "form": {"colour": "red"}})
        await node.decisions.decide(approval["id"], decision, by=ADA)
        state = await end(node, execution_id)

    assert approval["title"] == "Choose a colour"
    assert (standing.node, standing.turn) == ("executor", 1)
    assert state["attempts"][0]["output"] == 'ada did it: {"form":{"colour":"red"}}'
    assert (state["reason"], state["iters"]) == ("finished", 2)


async def test_a_persons_no_is_a_failure_that_the_planner_is_told_of(tmp_path: Path):
    rules = [
        plans("ask nobody", prompt_contains="too expensive"),
        plans({"step": "Buy it", "executor": "human"}),
        says(EXECUTOR, DONE),
        CONTINUE,
    ]
    async with opened(tmp_path, rules) as node:
        execution_id = await start(node, executors=["agent", "human"])
        await node.runs.wait(execution_id)
        approval = await approval_of(node)
        decision = Decision.model_validate({"decision": "reject", "feedback": "too expensive"})
        await node.decisions.decide(approval["id"], decision, by=ADA)
        state = await end(node, execution_id)

    assert [attempt["success"] for attempt in state["attempts"]] == [False, True]
    assert state["reason"] == "finished"


async def test_a_function_of_a_manifest_does_a_step_with_its_own_durable_steps(tmp_path: Path):
    calls: list[Any] = []

    async def count(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        calls.append(event["data"])
        number = await ctx.step("count", lambda: event["data"]["a"] + 1)
        return {"number": number}

    table = HandlerTable()
    table.register("test:count", count)
    step = {"step": "Count", "executor": "function:shop/count", "options": {"arguments": {"a": 41}}}
    async with opened(tmp_path, [plans(step, {**step, "step": "Again"}), CONTINUE], table) as node:
        await node.catalog.deploy(node.engine, open_text(MANIFEST), owner_id="local")
        state = await end(node, await start(node, executors=["function:shop/count"]))

    assert [attempt["output"] for attempt in state["attempts"]] == ['{"number":42}', '{"number":42}']
    assert calls[0] == {"goal": "Reach it", "step": "Count", "a": 41}


async def test_a_function_may_wait_for_a_person_inside_of_its_step(tmp_path: Path):
    begun: list[str] = []

    async def count(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        await ctx.step("begin", lambda: begun.append(event["data"]["step"]))
        decision = await ctx.approval("Really?", {"step": event["data"]["step"]})
        return {"decision": decision["decision"], "key": ctx.idempotency_key}

    table = HandlerTable()
    table.register("test:count", count)
    steps = [{"step": name, "executor": "function:shop/count"} for name in ("a", "b")]
    async with opened(tmp_path, [plans(*steps), CONTINUE], table) as node:
        await node.catalog.deploy(node.engine, open_text(MANIFEST), owner_id="local")
        execution_id = await start(node, executors=["function:shop/count"])
        for _ in steps:
            assert await node.runs.wait(execution_id) == "BLOCKED"
            approval = await approval_of(node)
            await node.decisions.decide(
                approval["id"], Decision.model_validate({"decision": "approve"}), by=ADA
            )
        state = await end(node, execution_id)

    assert begun == ["a", "b"]
    first, second = (attempt["output"] for attempt in state["attempts"])
    assert first.endswith(':2:executor/"}')
    assert second.endswith(':4:executor/"}')


async def test_a_function_that_is_not_there_or_raises_is_a_failure(tmp_path: Path):
    def count(event: dict[str, Any], ctx: Any) -> None:
        raise ValueError("no numbers here")

    table = HandlerTable()
    table.register("test:count", count)
    rules = [
        plans({"step": "a", "executor": "function:shop/count"}, prompt_contains="no function"),
        plans({"step": "a", "executor": "function:shop/missing"}),
    ]
    async with opened(tmp_path, rules, table) as node:
        await node.catalog.deploy(node.engine, open_text(MANIFEST), owner_id="local")
        executors = ["function:shop/missing", "function:shop/count"]
        state = await end(node, await start(node, executors=executors, max_iters=2))

    outputs = [attempt["output"] for attempt in state["attempts"]]
    assert outputs == ["the manifest 'shop' has no function 'missing'", "ValueError: no numbers here"]
    assert state["reason"] == "max_iters"


async def test_a_registered_agent_does_a_step_with_its_own_instructions(tmp_path: Path):
    rules = [
        plans({"step": "translate", "executor": "agent:Translator"}),
        says("Translate into Latin", {"success": True, "output": "salve"}),
        CONTINUE,
    ]
    async with opened(tmp_path, rules) as node:
        config = AgentConfig(name="Translator", instructions="Translate into Latin.")
        await node.agents.create(config, owner_id="local")
        state = await end(node, await start(node, executors=["agent:Translator"]))

    assert state["executor_output"] == {"success": True, "output": "salve"}


async def test_a_registered_agent_of_another_owner_is_not_found(tmp_path: Path):
    async with opened(tmp_path, [plans("translate")]) as node:
        await node.agents.create(AgentConfig(name="Translator"), owner_id="somebody else")
        state = await end(node, await start(node, executors=["agent:Translator"], max_iters=1))

    assert state["attempts"][0]["output"] == "there is no active agent 'Translator'"


async def test_a_worker_does_a_step_and_reports_by_an_event(tmp_path: Path):
    offered: list[str] = []

    async def hand_over(turn: StepTurn, work_id: str) -> None:
        offered.append(f"{turn.target}: {turn.step['step']}: {work_id}")

    async with opened(tmp_path, [plans("call them"), CONTINUE]) as node:
        node.loops.services.executors.add("worker", worker_executor(hand_over))
        execution_id = await start(node, executors=["worker:caller"])
        assert await node.runs.wait(execution_id) == "BLOCKED"
        work_id = offered[0].rpartition(": ")[2]
        data = {"work_id": work_id, "success": True, "output": "they will come"}
        await node.events.send(owner_id="local", name=REPORT_EVENT, data=data, source="caller")
        state = await end(node, execution_id)

    assert len(offered) == 1
    assert offered[0].startswith("caller: call them: tsk_")
    assert state["executor_output"] == {"success": True, "output": "they will come"}


async def test_a_tool_that_is_not_here_is_refused_at_the_start(tmp_path: Path):
    async with opened(tmp_path, []) as node:
        with pytest.raises(InvalidInput, match="'no_such_tool'"):
            await start(node, tools=["no_such_tool"])


async def test_a_person_may_allow_more_turns_when_the_cap_is_reached(tmp_path: Path):
    rules = [
        says(EXECUTOR, {"success": False, "output": "not yet"}, times=2),
        *(plans(f"try {number}", times=1) for number in range(9)),
        says(EXECUTOR, DONE),
        CONTINUE,
    ]
    async with opened(tmp_path, rules) as node:
        execution_id = await start(node, max_iters=2, on_cap="ask")
        assert await node.runs.wait(execution_id) == "BLOCKED"
        approval = await approval_of(node)
        await node.decisions.decide(approval["id"], Decision.model_validate({"decision": "approve"}), by=ADA)
        state = await end(node, execution_id)
        standing = await node.loops.standing(execution_id, owner_id="local")
        capped = await node.loops.standing(execution_id, owner_id="local", turn=4)

    assert approval["title"] == "The cap of 2 turns is reached; go on?"
    assert (state["reason"], state["iters"], state["max_iters"]) == ("finished", 3, 4)
    assert standing.state == state
    assert (capped.state["reason"], capped.state["iters"]) == ("max_iters", 2)


async def test_a_persons_no_to_more_turns_ends_the_loop_at_its_cap(tmp_path: Path):
    rules = [says(EXECUTOR, {"success": False, "output": "not yet"}), plans("try")]
    async with opened(tmp_path, rules) as node:
        execution_id = await start(node, max_iters=1, on_cap="ask")
        await node.runs.wait(execution_id)
        approval = await approval_of(node)
        decision = Decision.model_validate({"decision": "reject", "feedback": "enough"})
        await node.decisions.decide(approval["id"], decision, by=ADA)
        state = await end(node, execution_id)

    assert (state["reason"], state["iters"]) == ("max_iters", 1)
