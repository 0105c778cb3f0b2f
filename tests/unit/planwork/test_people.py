from __future__ import annotations

from typing import Any

import pytest

from tercet.domain.errors import Conflict, InvalidInput
from tercet.harness import OWNER
from tercet.humans.subscriptions import Registration as SubscriptionIn


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


def test_an_error_with_suggestions_asks_a_person_with_the_options_of_the_spec(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email", "document")
            execution_id = await s.start(two_steps, larry)
            await s.take(larry)

            answer = await s.report(
                execution_id, larry, "task_error", "a", status="error", error_type="external_dependency_blocked",
                error_message="Carol's email address bounced.", human_review_required=True, blocking=True,
                suggestions=[
                    "Try alternative email from website footer (info@example.org)",
                    "Call Carol directly at 555-0123",
                    "Find email via LinkedIn or Facebook",
                ],
            )  # fmt: skip

            assert answer["status"] == "BLOCKED"
            assert answer["human_review_required"] is True
            assert answer["escalated_to"] == "mark"
            assert answer["next_step_options"] == [
                "approve_alternative_email", "approve_phone_call", "skip_task", "cancel_execution",
            ]  # fmt: skip
            await s.decide("approve", option="skip_task")
            assert (await s.take(larry))["task_id"] == "b"

    virtual(go())


def test_a_person_may_cancel_the_execution_instead_of_going_on(shop, virtual, two_steps):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "send_email")
            execution_id = await s.start(two_steps, larry)
            await s.take(larry)
            await s.report(execution_id, larry, "task_error", "a", human_review_required=True)

            await s.decide("approve", option="cancel_execution")
            await s.node.engine.wait_idle()

            assert await s.status(execution_id) == "CANCELLED"

    virtual(go())


def test_a_rejected_review_fails_the_task_and_a_retry_offers_it_again(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(), larry)
            await s.take(larry)
            await s.report(execution_id, larry, "task_error", "s1", human_review_required=True)
            await s.decide("reject", feedback="not like this")
            task = (await s.tasks(execution_id))["t1"]
            assert (task["status"], task["error_type"]) == ("ERROR", "human_rejected")

            await s.node.control.retry_task(execution_id, task["id"], by="ada")

            await s.do(execution_id, larry)
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_work_of_the_second_risk_tier_is_approved_before_an_agent_gets_it(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(risk_tier=2), larry)
            assert await s.status(execution_id) == "BLOCKED"
            assert await s.poll(larry) is None

            await s.decide("approve", edits={"params": {"budget": 5}})

            assert (await s.take(larry))["params"] == {"budget": 5}

    virtual(go())


def test_work_of_the_third_risk_tier_is_done_by_people_only(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(risk_tier=3), larry)
            assert await s.poll(larry) is None
            with pytest.raises(Conflict):
                await s.report(execution_id, larry, "task_complete", "s1")

            await s.decide("approve", edits={"output": {"signed": True}}, feedback="done by hand")

            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_acceptance_criteria_gate_the_end_until_an_agent_meets_them_or_a_person_accepts(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x")
            met = await s.start(one(acceptance_criteria=["signed"]), larry)
            await s.do(met, larry, criteria_met=["signed"])
            assert await s.status(met) == "COMPLETED"

            unmet = await s.start(one(acceptance_criteria=["signed"]), larry)
            await s.do(unmet, larry)
            assert await s.status(unmet) == "BLOCKED"
            await s.decide("revise", feedback="where is the signature?")
            await s.do(unmet, larry)
            assert await s.status(unmet) == "BLOCKED"
            await s.decide("approve")
            assert await s.status(unmet) == "COMPLETED"

    virtual(go())


def test_a_doubtful_decomposition_is_checked_and_edited_by_a_person_before_it_runs(shop, virtual):
    plan = one(decomposed=True, decomposition_confidence=0.4, decomposition_notes="not sure")

    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x", "y")
            execution_id = await s.start(plan, larry)
            assert await s.poll(larry) is None
            circle = [{"subtask_id": "n1", "action": "y", "prerequisites": ["n1"]}]
            await s.decide("approve", edits={"subtasks": circle})
            (again,) = await s.approvals()
            assert "circle" in again["items"][0]["data"]

            await s.decide("approve", edits={"subtasks": [{"subtask_id": "n1", "action": "y"}]})

            assert await s.do(execution_id, larry) == "n1"
            assert await s.status(execution_id) == "COMPLETED"

    virtual(go())


def test_subtasks_can_be_edited_until_their_task_begins(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            larry = await s.agent("larry", "x", "y")
            plan = one()
            begun = await s.start(plan, larry)
            plan_id = (await s.execution(begun))["plan_id"]
            await s.take(larry)
            receipt, _ = await s.node.plan_work.runs.start(
                plan_id, agent_ids=["*"], owner_id=larry.owner_id, by="ada"
            )
            edit = s.node.plan_work.runs.edit_subtasks

            await edit(plan_id, "t1", [{"subtask_id": "new", "action": "y"}], owner_id=larry.owner_id)

            await s.report(begun, larry, "task_complete", "s1")
            assert await s.status(begun) == "COMPLETED"
            assert await s.do(receipt.execution_id, larry) == "new"
            with pytest.raises(InvalidInput, match="circle"):
                await edit(
                    plan_id, "t1",
                    [{"subtask_id": "m", "prerequisites": ["n"]}, {"subtask_id": "n", "prerequisites": ["m"]}],
                    owner_id=larry.owner_id,
                )  # fmt: skip

    virtual(go())


def test_people_who_subscribed_are_told_of_silence_blocks_and_the_end_but_not_of_retries(shop, virtual):
    async def go() -> None:
        async with shop() as s:
            subscriptions = s.node.outbox.subscriptions
            receiver = SubscriptionIn(channel="email", target="ada@example.org")
            subscription, _ = await subscriptions.register(receiver, by=OWNER)
            larry = await s.agent("larry", "x")
            execution_id = await s.start(one(), larry)
            await s.take(larry)
            await s.report(execution_id, larry, "task_error", "s1", error_message="once more")
            await s.sleep(0.1)
            await s.take(larry)
            await s.sleep(0.7)
            await s.take(larry)
            await s.report(execution_id, larry, "task_blocked", "s1", human_review_required=True)
            await s.decide("approve", option="skip_task")

            told = [row["event"] for row in await subscriptions.deliveries(subscription, limit=50)]

            assert sorted(told) == [
                "agent.silent", "approval.requested", "execution.blocked", "execution.completed", "task.blocked",
            ]  # fmt: skip

    virtual(go())
