"""A loop is an execution like any other: watched, paused, cancelled, forked, retried."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.integration.loop.opened import (
    CONTINUE,
    DONE,
    EXECUTOR,
    PLANNER,
    end,
    opened,
    plans,
    says,
    scripted,
    start,
)

from tercet.domain.errors import AgentFailed, InvalidInput, NotFound
from tercet.embedded_loop import arun, finished
from tercet.loop.outputs import LONGEST_INLINE
from tercet.store.ledger import summarize
from tercet.store.listing import get_execution, list_events
from tercet.testing.mock_claude import MockClaude, Script

RULES = [plans("one", "two", "three"), says(EXECUTOR, DONE), CONTINUE]


async def test_turns_are_told_as_they_are_committed(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        execution_id = node.engine.mint.mint("exe")
        with node.loops.feed.watch(execution_id) as queue:
            await start(node, execution_id=execution_id)
            await end(node, execution_id)
            told = [queue.get_nowait() for _ in range(queue.qsize())]

    turns = [event["data"]["turn"] for event in told if event["type"] == "loop.turn"]
    assert turns[:3] == ["1:planner", "2:executor", "3:reviewer"]
    assert len(turns) == 7


async def test_a_paused_loop_stops_before_its_next_turn_and_goes_on(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        execution_id = await start(node)
        await node.control.pause(execution_id, by="ada")
        await node.engine.wait_idle()
        paused = await node.loops.standing(execution_id, owner_id="local")
        await node.control.resume(execution_id, by="ada")
        state = await end(node, execution_id)

    assert paused.state["reason"] is None
    assert (state["reason"], state["iters"]) == ("finished", 3)


async def test_a_cancelled_loop_ends_at_once(tmp_path: Path):
    slow = {"match": {"system_contains": EXECUTOR}, "reply": {"json": DONE, "delay_seconds": 30}}
    async with opened(tmp_path, [RULES[0], slow]) as node:
        execution_id = node.engine.mint.mint("exe")
        with node.loops.feed.watch(execution_id) as queue:
            await start(node, execution_id=execution_id)
            while (await queue.get())["type"] != "loop.turn":
                pass
        waiting = asyncio.create_task(finished(node, execution_id))
        await node.cancelling.cancel_execution(execution_id, by="ada", reason="enough")
        with pytest.raises(AgentFailed, match="cancelled by ada: enough"):
            await waiting
        row = await node.reader.read(get_execution, owner_id="local", execution_id=execution_id)

    assert row is not None
    assert row["status"] == "CANCELLED"


async def test_a_fork_goes_on_after_a_turn_without_paying_for_it_again(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        first = await start(node)
        await end(node, first)
        fork = await node.loops.fork(
            first, turn=5, owner_id="local", source="ada", changes={"model": "haiku"}
        )
        state = await end(node, fork)
        spent = await node.reader.read(summarize, owner_id="local", group_by="execution")
        events = await node.reader.read(list_events, execution_id=fork, limit=500, after_seq=0)

    assert (state["reason"], state["iters"]) == ("finished", 3)
    assert {row["key"]: row["calls"] for row in spent} == {first: 7, fork: 2}
    assert [row["subtask_id"] for row in events if row["event_type"] == "subtask_complete"] == [
        "6:executor/turn:1", "6:executor", "7:reviewer/turn:1", "7:reviewer",
    ]  # fmt: skip


async def test_a_fork_of_a_capped_loop_goes_on_with_a_higher_cap(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        first = await start(node, max_iters=1)
        capped = await end(node, first)
        with pytest.raises(InvalidInput, match="1 turns are used already"):
            await node.loops.fork(first, turn=3, owner_id="local", source="ada")
        fork = await node.loops.fork(first, turn=3, owner_id="local", source="ada", changes={"max_iters": 5})
        state = await end(node, fork)

    assert capped["reason"] == "max_iters"
    assert (state["reason"], state["iters"]) == ("finished", 3)


async def test_a_fork_beyond_the_turns_or_of_what_is_no_loop_is_refused(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        execution_id = await start(node)
        await end(node, execution_id)
        with pytest.raises(InvalidInput, match="has no turn 99"):
            await node.loops.fork(execution_id, turn=99, owner_id="local", source="ada")
        with pytest.raises(InvalidInput, match="ended with turn 7"):
            await node.loops.fork(execution_id, turn=7, owner_id="local", source="ada")
        with pytest.raises(NotFound):
            await node.loops.fork(execution_id, turn=1, owner_id="somebody else", source="eve")


async def test_a_budget_that_is_spent_ends_the_loop_with_its_reason(tmp_path: Path):
    async with opened(tmp_path, RULES) as node:
        state = await end(node, await start(node, budget_usd="0.045"))

    assert state["reason"] == "budget"
    assert "budget of $0.0450" in state["message"]
    assert state["iters"] >= 1


async def test_a_long_output_of_a_tool_is_kept_out_of_the_conversation(tmp_path: Path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "long.txt").write_text("begin " + "x" * 50_000 + " end")
    read = {"name": "Read", "input": {"file_path": "long.txt"}}
    rules = [
        plans("read it"),
        {"match": {"system_contains": EXECUTOR, "turn": 0}, "reply": {"tool_use": read}},
        {
            "match": {"system_contains": EXECUTOR, "turn": 1, "tool_result_contains": "output_id"},
            "reply": {"json": {"success": True, "output": "it is long"}},
        },
        CONTINUE,
    ]
    async with opened(tmp_path / "data", rules) as node:
        execution_id = await start(node, tools=["Read"], workspace=str(tmp_path / "work"))
        state = await end(node, execution_id)
        steps = await node.engine.load_steps((await node.runs.outcome(execution_id))["task_id"])
        stored = list((tmp_path / "data" / "workspaces" / execution_id / "outputs").iterdir())

    assert state["executor_output"] == {"success": True, "output": "it is long"}
    assert len(steps["2:executor/tool:1:1"]) < LONGEST_INLINE
    assert "x" * 50_000 in stored[0].read_text()


async def test_a_loop_that_failed_starts_anew_under_its_goal_when_it_is_retried(tmp_path: Path):
    refused = {"match": {"system_contains": PLANNER}, "times": 1, "reply": {"error": {"status": 401}}}
    async with opened(tmp_path, [refused, *RULES]) as node:
        first = await start(node, "Bake a cake")
        assert await node.runs.wait(first) == "FAILED"
        row = await node.reader.read(get_execution, owner_id="local", execution_id=first)
        assert row is not None
        again = await node.retries.retry(row, by="ada")
        state = await end(node, again)
        retried = await node.reader.read(get_execution, owner_id="local", execution_id=again)

    assert state["reason"] == "finished"
    assert retried is not None
    assert (retried["name"], retried["retry_of"]) == ("Bake a cake", first)


async def test_a_model_that_cannot_be_asked_fails_the_execution(tmp_path: Path):
    refused = {"match": {"system_contains": PLANNER}, "reply": {"error": {"status": 401, "message": "no"}}}
    with MockClaude(Script.model_validate({"rules": [refused]})) as mock, pytest.raises(AgentFailed):
        await arun("Reach it", settings=scripted(mock, tmp_path))
