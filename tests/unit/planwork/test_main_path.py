from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from tercet.domain.errors import Conflict, InvalidStateTransition, NotAllowed, NotFound
from tercet.harness import OWNER
from tercet.plans.report_model import AgentEvent


def test_a_plan_runs_to_its_end_when_an_agent_does_each_subtask_in_turn(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email", "document")
            execution_id = await s.start(two_steps, larry)
            assert await s.status(execution_id) == "QUEUED"

            work = await s.poll(larry)

            assert work is not None
            assert work["execution_id"] == execution_id
            assert work["next_task"]["task_id"] == "a"
            assert work["next_task"]["params"] == {"to": "carol@example.org"}
            assert work["next_task"]["context"]["upcoming_tasks"] == ["Notes"]
            assert await s.status(execution_id) == "RUNNING"

            answer = await s.report(
                execution_id, larry, "task_complete", "a", status="success", output_data={"sent": True}
            )

            assert answer["next_task_id"] == "b"
            assert answer["next_action"] == "document"
            task = await s.take(larry)
            assert task["context"]["previous_tasks"] == ["Mail"]
            assert task["context"]["results"] == {"a": {"sent": True}}
            last = await s.report(execution_id, larry, "subtask_complete", "b", output_data={})
            assert last["status_message"] == "Task complete. The execution is complete"
            assert await s.status(execution_id) == "COMPLETED"
            assert await s.poll(larry) is None

    virtual(go())


def test_work_is_handed_out_again_when_the_agent_that_holds_it_polls_again(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            await s.start(two_steps, larry)

            first, second = await s.take(larry), await s.take(larry)

            assert first == second
            assert second["attempt"] == 1

    virtual(go())


def test_a_waiting_poll_is_answered_at_once_when_work_appears(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            poll = asyncio.create_task(s.poll(larry, wait=60))
            await asyncio.sleep(10)
            before = s.clock.now_ms()

            await s.start(two_steps, larry)
            work = await poll

            assert work is not None
            assert work["next_task"]["task_id"] == "a"
            assert s.clock.now_ms() - before < 50

    virtual(go())


def test_a_poll_ends_empty_when_its_time_is_over(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")

            assert await s.poll(larry, wait=30) is None

    virtual(go())


def test_only_agents_with_the_capability_get_the_work(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            caller, mailer = (
                await s.agent("caller", "make_phone_call"),
                await s.agent("mailer", "send_email", "x"),
            )
            await s.start(two_steps, caller, mailer)

            assert await s.poll(caller) is None
            assert await s.poll(mailer, actions={"x"}) is None
            assert (await s.take(mailer))["task_id"] == "a"

    virtual(go())


def test_agents_that_have_no_part_in_an_execution_get_nothing_and_may_report_nothing(
    shop, virtual, two_steps
):
    async def go() -> None:
        async with shop() as s:
            larry, stranger = await s.agent("larry", "send_email"), await s.agent("eve", "send_email")
            execution_id = await s.start(two_steps, larry)

            assert await s.poll(stranger) is None
            with pytest.raises(NotAllowed):
                await s.report(execution_id, stranger, "task_complete", "a")

    virtual(go())


def test_any_agent_of_the_owner_takes_work_of_an_execution_for_all(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            agents = [await s.agent(name, "send_email", "document") for name in ("ann", "bob", "cyd")]
            polls = [asyncio.create_task(s.poll(agent, wait=60)) for agent in agents]
            await asyncio.sleep(1)
            plan = {"title": "Many", "phases": [{"phase_id": "p", "tasks": [
                {"task_id": f"t{n}", "subtasks": [{"subtask_id": f"s{n}", "action": "send_email"}]} for n in range(3)
            ]}]}  # fmt: skip

            await s.start(plan, "*")

            works = [await poll for poll in polls]
            assert sorted(work["next_task"]["task_id"] for work in works if work) == ["s0", "s1", "s2"]

    virtual(go())


def test_tasks_wait_for_their_prerequisites_and_urgent_ones_come_first(shop, virtual):
    plan = {
        "title": "Order",
        "phases": [{"phase_id": "p", "tasks": [
            {"task_id": "late", "priority": 9, "subtasks": [{"subtask_id": "l1", "action": "x"}]},
            {"task_id": "soon", "priority": 1, "subtasks": [{"subtask_id": "s1", "action": "x"}]},
            {"task_id": "after", "prerequisites": ["late", "soon"], "subtasks": [{"subtask_id": "a1", "action": "x"}]},
        ]}],
    }  # fmt: skip

    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(plan, larry)

            assert [await s.do(execution_id, larry) for _ in range(3)] == ["s1", "l1", "a1"]
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_a_lag_between_tasks_is_waited_for(shop, virtual):
    plan = {
        "title": "Lag",
        "phases": [{"phase_id": "p", "tasks": [
            {"task_id": "t1", "subtasks": [{"subtask_id": "s1", "action": "x"}]},
            {"task_id": "t2", "subtasks": [{"subtask_id": "s2", "action": "x"}]},
        ]}],
        "dependencies": [{"from": "t1", "to": "t2", "lag_hours": 5}],
    }  # fmt: skip

    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(plan, larry)
            await s.do(execution_id, larry)

            assert await s.poll(larry) is None
            begin = s.clock.now_ms()
            work = await s.poll(larry, wait=6 * 3600)
            assert work is not None
            assert work["next_task"]["task_id"] == "s2"
            assert s.clock.now_ms() - begin == pytest.approx(5 * 3_600_000, rel=0.001)
            await s.report(execution_id, larry, "task_complete", "s2")
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_a_task_without_subtasks_is_one_piece_of_work_or_a_persons(shop, virtual):
    plan = {"title": "Bare", "phases": [{"phase_id": "p", "tasks": [{"task_id": "t1", "title": "Think"}]}]}

    async def go() -> None:
        async with shop() as s:
            able = await s.agent("able", "perform_task")
            first = await s.start(plan, able)
            assert (await s.take(able))["action"] == "perform_task"
            await s.report(first, able, "task_complete", "t1", output_data={"thought": 1})
            assert await s.status(first) == "COMPLETED"

            mailer = await s.agent("mailer", "send_email")
            second = await s.start(plan, mailer)
            assert await s.status(second) == "BLOCKED"
            await s.decide("approve", edits={"output": {"thought": 2}})
            assert await s.status(second) == "COMPLETED"
            assert '"thought":2' in (await s.tasks(second))["t1"]["result_data"]

    virtual(go())


def test_reports_that_do_not_fit_are_refused_and_leave_no_trace(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry, bob = await s.agent("larry", "send_email", "document"), await s.agent("bob", "send_email")
            execution_id = await s.start(two_steps, larry, bob)
            await s.take(larry)
            before = len(await s.events(execution_id))

            with pytest.raises(NotFound):
                await s.report(execution_id, larry, "task_complete", "nothing")
            with pytest.raises(Conflict, match="not open"):
                await s.report(execution_id, larry, "task_complete", "b")
            with pytest.raises(Conflict, match="another agent"):
                await s.report(execution_id, bob, "task_complete", "a")
            with pytest.raises(NotFound):
                await s.report("exe_nothing", larry, "heartbeat")
            assert len(await s.events(execution_id)) == before

            await s.report(execution_id, larry, "task_complete", "a")
            with pytest.raises(Conflict, match="COMPLETE already"):
                await s.report(execution_id, larry, "task_complete", "a")
            await s.do(execution_id, larry)
            with pytest.raises(InvalidStateTransition, match="has ended"):
                await s.report(execution_id, larry, "heartbeat")

    virtual(go())


def test_of_two_polls_of_one_agent_the_older_ends_empty_and_the_newer_goes_on_waiting(
    shop, virtual, two_steps
):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            older = asyncio.create_task(s.poll(larry, wait=60))
            await asyncio.sleep(1)
            newer = asyncio.create_task(s.poll(larry, wait=60))

            assert await asyncio.wait_for(older, 1) is None
            assert s.node.plan_work.board.waiting_of(OWNER.owner_id) == 1
            await s.start(two_steps, larry)
            assert (await newer or {})["next_task"]["task_id"] == "a"

    virtual(go())


def test_waiting_polls_end_empty_when_the_node_ends(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            poll = asyncio.create_task(s.poll(larry, wait=60))
            await asyncio.sleep(1)

            s.node.plan_work.board.close()

            assert await asyncio.wait_for(poll, 1) is None
            assert await asyncio.wait_for(s.poll(larry, wait=60), 1) is None

    virtual(go())


def test_work_that_is_handed_back_is_open_at_once_and_is_no_failed_attempt(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry, moe = await s.agent("larry", "send_email"), await s.agent("moe", "send_email")
            execution_id = await s.start(two_steps, "*")
            for _ in range(5):
                await s.take(larry)

                told = await s.report(execution_id, larry, "task_error", "a", error_type="handed_back")

                assert told["status"] == "QUEUED"
            assert (await s.take(moe))["task_id"] == "a"

    virtual(go())


def test_the_last_event_of_an_execution_is_known_again_in_a_batch(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email", "document")
            execution_id = await s.start(two_steps, larry)
            await s.do(execution_id, larry)
            await s.take(larry)
            event = AgentEvent(
                agent_id=larry.id, event_type="task_complete", task_id="b", agent_timestamp=datetime.now(UTC)
            )
            reports = s.node.plan_work.reports

            first = await reports.report_batch(execution_id, [event], contents=["x"], worker=larry)
            again = await reports.report_batch(execution_id, [event], contents=["x"], worker=larry)

            assert again[0]["duplicate"]
            assert again[0]["event_id"] == first[0]["event_id"]
            with pytest.raises(InvalidStateTransition):
                await reports.report_batch(execution_id, [event, event], contents=["x", "new"], worker=larry)

    virtual(go())
