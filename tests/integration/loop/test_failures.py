"""What goes wrong outside of the loop: providers, budgets, deadlines, agents that hang."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.integration.loop.opened import CONTINUE, DONE, EXECUTOR, PLANNER, end, opened, plans, says, start

from tercet.agent.config import AgentConfig
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.store.approvals import list_approvals
from tercet.store.ledger import summarize
from tercet.wiring import Tercet

ADA = Person(user="ada", role="owner", owner_id="local")
RULES = [plans("one", "two"), says(EXECUTOR, DONE), CONTINUE]
HANGS: dict[str, Any] = {
    "match": {"system_contains": EXECUTOR}, "reply": {"json": DONE, "delay_seconds": 20},
}  # fmt: skip


async def ledger(node: Tercet, execution_id: str) -> dict[str, Any]:
    [row] = await node.reader.read(
        summarize, owner_id="local", group_by="execution", execution_id=execution_id
    )
    return dict(row)


async def test_an_overloaded_provider_is_asked_again_and_no_turn_is_lost(tmp_path: Path):
    overloaded: dict[str, Any] = {
        "match": {"system_contains": EXECUTOR}, "times": 1, "reply": {"error": {"status": 529, "retry_after": 0}},
    }  # fmt: skip
    async with opened(tmp_path, [overloaded, *RULES]) as node:
        execution_id = await start(node)
        state = await end(node, execution_id)
        calls = (await ledger(node, execution_id))["calls"]

    assert (state["reason"], state["iters"]) == ("finished", 2)
    assert calls == 6  # five turns, and the one that was refused


async def test_a_person_may_raise_the_budget_for_a_call(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        execution_id = await start(node, budget_usd="0.01", on_limit="approve")
        decided = 0
        while await node.runs.wait(execution_id) == "BLOCKED":
            [row] = await node.reader.read(
                list_approvals, owner_id="local", status="pending", limit=5, after=None
            )
            assert "budget of $0.0100" in row["title"]
            answer = "approve" if decided < 2 else "reject"
            decision = Decision.model_validate({"decision": answer, "feedback": "because"})
            await node.decisions.decide(row["id"], decision, by=ADA)
            decided += 1
        state = await end(node, execution_id)

    assert decided == 3
    assert (state["reason"], state["iters"]) == ("budget", 1)


async def test_a_deadline_ends_a_turn_that_hangs_and_its_money_is_booked(tmp_path: Path):
    async with opened(tmp_path, [plans("one"), HANGS]) as node:
        execution_id = await start(node, deadline_seconds=1.5)
        state = await end(node, execution_id)
        spent = await ledger(node, execution_id)

    assert (state["reason"], state["message"]) == ("deadline", "the deadline passed during a turn")
    assert spent["reserved_picousd"] == 0
    assert spent["calls"] == 2


async def test_an_agent_that_hangs_is_a_failure_after_its_own_limit(tmp_path: Path):
    rules = [plans({"step": "ask", "executor": "agent:Slow"}), HANGS]
    async with opened(tmp_path, rules) as node:
        config = AgentConfig.model_validate({"name": "Slow", "limits": {"timeout_seconds": 0.5}})
        await node.agents.create(config, owner_id="local")
        state = await end(node, await start(node, executors=["agent:Slow"], max_iters=1))

    assert state["executor_output"] == {"success": False, "output": "Slow gave no answer within 0.5 seconds"}


async def test_a_planner_that_cannot_answer_is_not_asked_over_and_over(tmp_path: Path):
    too_long: dict[str, Any] = {
        "match": {"system_contains": PLANNER}, "reply": {"error": {"status": 400, "message": "prompt is too long"}},
    }  # fmt: skip
    async with opened(tmp_path, [too_long]) as node:
        execution_id = await start(node)

        assert await node.runs.wait(execution_id) == "FAILED"
        assert (await ledger(node, execution_id))["calls"] <= 2


async def test_a_deadline_ends_the_wait_for_a_person(tmp_path: Path):
    async with opened(tmp_path, [plans({"step": "ask", "executor": "human"})]) as node:
        execution_id = await start(node, executors=["human"], deadline_seconds=1.0)
        assert await node.runs.wait(execution_id) == "BLOCKED"
        ended = asyncio.get_running_loop().create_future()
        node.engine.state_listeners.append(
            lambda state: None if ended.done() or not state.ended else ended.set_result(None)
        )
        async with asyncio.timeout(20):
            await ended
        state = await end(node, execution_id)

    assert (state["reason"], state["iters"]) == ("deadline", 0)
