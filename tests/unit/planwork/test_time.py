from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tercet.domain.errors import Conflict


def one(**task: Any) -> dict[str, Any]:
    return {
        "title": "One",
        "phases": [
            {
                "phase_id": "p",
                "tasks": [{"task_id": "t1", "subtasks": [{"subtask_id": "s1", "action": "x"}], **task}],
            }
        ],
    }


def test_a_failed_attempt_is_offered_again_after_its_backoff_and_a_person_decides_when_none_is_left(
    shop, virtual
):
    plan = one(
        subtasks=[
            {"subtask_id": "s1", "action": "x", "retry_policy": {"max_attempts": 2, "backoff_seconds": 300}}
        ]
    )

    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(plan, larry)
            await s.take(larry)
            answer = await s.report(
                execution_id, larry, "task_error", "s1", error_type="timeout", error_message="slow"
            )
            assert answer["status"] == "QUEUED"
            assert await s.poll(larry) is None

            work = await s.poll(larry, wait=3600)

            assert work is not None
            assert work["next_task"]["attempt"] == 2
            answer = await s.report(execution_id, larry, "task_error", "s1", error_message="slow again")
            assert answer["status"] == "BLOCKED"
            assert answer["next_step_options"] == ["retry_task", "skip_task", "cancel_execution"]
            assert await s.status(execution_id) == "BLOCKED"
            await s.decide("approve", option="retry_task", edits={"params": {"slowly": True}})
            task = await s.take(larry)
            assert task["params"] == {"slowly": True}
            assert task["review"]["option"] == "retry_task"
            await s.report(execution_id, larry, "task_complete", "s1")
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_an_agent_that_falls_silent_loses_its_work_to_the_next_and_people_are_asked_after_a_day(
    shop, virtual
):
    async def go() -> None:
        async with shop() as s:
            larry, bob = await s.agent("larry", "x"), await s.agent("bob", "x")
            execution_id = await s.start(one(), larry, bob)
            await s.take(larry)
            await s.sleep(0.4)
            await s.report(execution_id, larry, "heartbeat")
            await s.sleep(0.4)
            assert await s.poll(bob) is None, "a heartbeat extends the lease"
            await s.sleep(0.2)

            task = await s.take(bob)

            assert task["attempt"] == 2
            silent = [e for e in await s.events(execution_id) if e["error_type"] == "agent_silent"]
            assert len(silent) == 1
            assert "no sign of agent_larry" in silent[0]["error_message"]
            with pytest.raises(Conflict, match="another agent"):
                await s.report(execution_id, larry, "task_complete", "s1")
            await s.sleep(1)
            assert await s.approvals() == []
            await s.sleep(24)
            assert await s.status(execution_id) == "BLOCKED"
            await s.decide("approve", option="retry_task")
            await s.do(execution_id, larry)
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_a_late_completion_counts_while_nobody_else_has_the_work(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(), larry)
            await s.take(larry)
            await s.sleep(2)

            await s.report(execution_id, larry, "task_complete", "s1", output_data={"late": True})

            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_an_attempt_ends_when_the_hours_of_its_subtask_are_over(shop, virtual):
    plan = one(
        subtasks=[
            {"subtask_id": "s1", "action": "x", "timeout_hours": 2, "retry_policy": {"max_attempts": 1}}
        ]
    )

    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            await s.start(plan, larry)
            await s.take(larry)
            for _ in range(9):
                await s.sleep(0.25)
                await s.poll(larry)

            (approval,) = await s.approvals()
            assert '"error_type":"timeout"' in approval["items"][0]["data"]

    virtual(go())


def test_a_wait_for_something_outside_goes_on_with_progress_and_asks_people_after_two_days(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(), larry)
            await s.take(larry)
            answer = await s.report(execution_id, larry, "task_blocked", "s1", message="waiting for a reply")
            assert answer["status"] == "BLOCKED"
            assert answer["human_review_required"] is False
            assert await s.status(execution_id) == "BLOCKED"
            await s.sleep(40)
            await s.report(execution_id, larry, "task_progress", "s1", message="a reply!")
            assert await s.status(execution_id) == "RUNNING"
            await s.report(execution_id, larry, "task_blocked", "s1", message="and again")
            await s.sleep(47)
            assert await s.approvals() == []
            await s.sleep(2)
            assert len(await s.approvals()) == 1

    virtual(go())


def test_an_execution_fails_when_it_takes_longer_than_a_plan_may(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "y")
            execution_id = await s.start(one(risk_tier=3), larry)

            await s.sleep(169)

            row = await s.execution(execution_id)
            assert row["status"] == "FAILED"
            assert "168 hours" in row["status_message"]
            assert await s.approvals() == []

    virtual(go())


def test_a_pause_is_told_once_keeps_the_work_and_takes_its_completion(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email", "document")
            execution_id = await s.start(two_steps, larry)
            await s.take(larry)
            await s.node.control.pause(execution_id, by="ada")

            told = await s.poll(larry)
            assert told is not None
            assert told["force_pause"]
            assert not told["work_available"]
            assert await s.poll(larry) is None
            answer = await s.report(execution_id, larry, "task_complete", "a")
            assert answer["force_pause"] is True
            assert await s.poll(larry) is None
            poll = asyncio.create_task(s.poll(larry, wait=600))
            await asyncio.sleep(1)
            await s.node.control.resume(execution_id, by="ada")
            work = await poll
            assert work is not None
            assert work["next_task"]["task_id"] == "b"

    virtual(go())


def test_a_cancelled_execution_tells_the_agent_that_held_its_work(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            execution_id = await s.start(two_steps, larry)
            await s.take(larry)

            await s.node.cancelling.cancel_execution(execution_id, by="ada")

            told = await s.poll(larry)
            assert told is not None
            assert told["force_cancel"]
            assert await s.poll(larry) is None

    virtual(go())


def test_a_restart_keeps_what_agents_hold_and_what_is_open(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email", "document")
            bob = await s.agent("bob", "x")
            execution_id = await s.start(two_steps, larry)
            await s.start(one(), bob)
            await s.take(larry)
            now = s.clock.now_ms()
        async with shop(at_ms=now) as s:
            await asyncio.sleep(1)
            larry = s.node.plan_work.workers.get(larry.id, owner_id=larry.owner_id)
            bob = s.node.plan_work.workers.get(bob.id, owner_id=bob.owner_id)

            assert (await s.take(larry))["attempt"] == 1
            assert (await s.take(bob))["task_id"] == "s1"
            await s.report(execution_id, larry, "task_complete", "a")
            assert (await s.take(larry))["task_id"] == "b"

    virtual(go())
