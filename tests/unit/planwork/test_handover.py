from __future__ import annotations

from tercet.plans.handover import Errand


def test_an_errand_is_offered_once_done_by_an_agent_and_reported_to_who_gave_it(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            agent = await s.agent("helper", "perform_task")
            giver = await s.start(
                {"title": "G", "phases": [{"phase_id": "p", "tasks": [{"task_id": "t"}]}]}, "*"
            )
            holder = await s.take(agent)
            await s.report(giver, agent, "task_blocked", holder["task_id"], message="given away")
            errand = Errand(
                owner_id=agent.owner_id, execution_id=giver, work_id="w1", agent_id=agent.id, title="Count the boxes",
                params={"goal": "Know how many", "step": "Count the boxes"},
            )  # fmt: skip
            await s.node.plan_work.handover.give(errand)
            await s.node.plan_work.handover.give(errand)

            task = await s.take(agent)
            assert task["params"]["step"] == "Count the boxes"
            work = await s.poll(agent)
            await s.report(work["execution_id"], agent, "task_complete", "errand", output_data={"boxes": 7})
            await s.node.engine.wait_idle()

            assert await s.poll(agent) is None, "offered once"
            reports = [e for e in await s.events(giver) if e["name"] == "loop.step.reported"]
            assert len(reports) == 1
            assert '"work_id":"w1"' in reports[0]["output_data"]
            assert '"success":true' in reports[0]["output_data"]

    virtual(go())
