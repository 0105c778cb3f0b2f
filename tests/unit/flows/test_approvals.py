"""Human steps: what approvals promise (DESIGN; approval rules P1–P10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tercet.domain.errors import AlreadyDecided, Conflict, InvalidInput, NotAllowed
from tercet.humans.person import Person
from tercet.store.executions import due_timers

SINGLE = """
name: single
events:
  - {name: draft.made, outside: true}
  - {name: draft.approved, outside: true}
  - {name: draft.rejected, description: final}
  - {name: draft.sent_back}
  - {name: draft.expired, description: final}
  - {name: draft.sent, description: final}
humans:
  - name: review
    trigger: {event: draft.made}
    title: "Draft for {{ to }}"
    editable: [body]
    options: [now, later]
    form: {type: object, properties: {note: {type: string}}, required: [note]}
    who: {roles: [owner], not_requester: true}
    reminders: {every: 4h, max: 3}
    escalation: {after: 24h, to: [carol]}
    timeout: 72h
    emits:
      - {event: draft.approved, on: approve}
      - {event: draft.rejected, on: reject}
      - {event: draft.sent_back, on: revise}
      - {event: draft.expired, on: timeout}
functions:
  - name: send
    trigger: {event: draft.approved}
    requires_approval: review
    handler: test:send
    emits: [draft.sent]
  - name: redraft
    trigger: {event: draft.sent_back}
    handler: test:redraft
    emits: [draft.made]
"""
DRAFT = {"to": "ada@example.org", "body": "Hello", "requested_by": "bob"}
YES = {"decision": "approve", "form": {"note": "fine"}}


async def send(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {"body": event["data"]["body"]}


async def redraft(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    data = event["data"]
    return {
        **{k: data[k] for k in ("to", "revision", "requested_by")},
        "body": f"{data['body']} ({data['feedback']})",
    }


@pytest.fixture
def single(flow):
    return lambda: flow(SINGLE, send=send, redraft=redraft)


def test_approving_emits_the_event_with_the_approval_and_what_follows_runs(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            assert execution["status_message"] == "waiting for a person: Draft for ada@example.org"
            [approval] = await f.approvals()

            decided = await f.decide(approval["id"], **YES, option="now")
            await f.idle()

            assert (decided["status"], decided["decided_by"]) == ("approved", "ada")
            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            [data] = await f.event_data(execution["id"], "draft.approved")
            assert data["approval"]["option"] == "now"
            assert data["form"] == {"note": "fine"}
            assert await f.event_data(execution["id"], "draft.sent") == [{"body": "Hello"}]

    virtual(go())


def test_an_edit_is_applied_and_makes_a_new_digest(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            decided = await f.decide(approval["id"], **YES, edits={"body": "Dear Ada"})
            await f.idle()

            assert decided["items"][0]["digest"] != approval["items"][0]["digest"]
            assert await f.event_data(execution["id"], "draft.sent") == [{"body": "Dear Ada"}]

    virtual(go())


@pytest.mark.parametrize(
    ("decision", "problem"),
    [
        ({"decision": "approve"}, "note"),
        ({**YES, "edits": {"to": "mallory@example.org"}}, "edits.to cannot be edited"),
        ({**YES, "option": "never"}, "is not offered"),
        ({"decision": "reject"}, "feedback is required"),
        ({"decision": "revise", "feedback": "  "}, "feedback is required"),
        ({**YES, "items": ["itm_x"]}, "is no item"),
        ({**YES, "items": []}, "is empty"),
    ],
)
def test_a_decision_is_refused_and_nothing_changes_when_it_does_not_fit(single, virtual, decision, problem):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            with pytest.raises(InvalidInput, match=problem):
                await f.decide(approval["id"], **decision)

            assert await f.approvals() == [approval]

    virtual(go())


def test_a_decision_is_refused_when_the_digest_is_not_what_was_shown(single, virtual):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            with pytest.raises(Conflict, match="has changed"):
                await f.decide(approval["id"], **YES, digest="0" * 64)

    virtual(go())


@pytest.mark.parametrize(
    "person",
    [
        Person(user="bob", role="owner", owner_id="local"),
        Person(user="eve", role="viewer", owner_id="local"),
        Person(user="worker", role="agent", owner_id="local"),
        Person(user="dan", role="member", owner_id="local"),
    ],
    ids=["requester", "viewer", "agent", "wrong role"],
)
def test_a_decision_is_refused_when_the_person_may_not_decide(single, virtual, person):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            with pytest.raises(NotAllowed):
                await f.decide(approval["id"], by=person, **YES)

    virtual(go())


def test_the_second_of_two_answers_hears_who_was_faster(single, virtual):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            answers = await asyncio.gather(
                f.decide(approval["id"], **YES),
                f.decide(approval["id"], decision="reject", feedback="no"),
                return_exceptions=True,
            )

            assert sum(isinstance(answer, dict) for answer in answers) == 1
            [late] = [answer for answer in answers if isinstance(answer, AlreadyDecided)]
            assert "by ada at 2026-01-01T" in str(late)

    virtual(go())


def test_a_timeout_is_recorded_as_a_timeout_and_emits_its_event(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            await asyncio.sleep(73 * 3600)
            await f.idle()

            [approval] = await f.approvals(None)
            assert (approval["status"], approval["decision"], approval["decided_by"]) == (
                "expired",
                "timeout",
                None,
            )
            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert "draft.expired" in await f.event_names(execution["id"])

    virtual(go())


def test_people_are_reminded_and_then_the_approval_is_escalated(single, virtual):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            await asyncio.sleep(25 * 3600)
            await f.idle()

            [approval] = await f.approvals()
            assert approval["reminders_sent"] == 3
            assert approval["assigned_to"] == '["carol"]'
            await f.decide(approval["id"], by=Person(user="carol", role="member", owner_id="local"), **YES)

    virtual(go())


def test_deciding_cancels_every_timer_of_the_approval(single, virtual):
    async def go() -> None:
        async with single() as f:
            await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()

            await f.decide(approval["id"], **YES)
            await f.idle()

            assert await f.node.reader.read(due_timers, 2**60, 10) == []

    virtual(go())


def test_a_revision_goes_back_to_the_drafter_with_the_feedback_up_to_the_limit(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            for round_ in range(3):
                [approval] = await f.approvals()
                await f.decide(approval["id"], decision="revise", feedback=f"r{round_}")
                await f.idle()
            [approval] = await f.approvals()

            with pytest.raises(InvalidInput, match="revised 3 times"):
                await f.decide(approval["id"], decision="revise", feedback="again")
            await f.decide(approval["id"], **YES)
            await f.idle()

            assert await f.event_data(execution["id"], "draft.sent") == [{"body": "Hello (r0) (r1) (r2)"}]

    virtual(go())


def test_a_send_is_stopped_when_its_approval_was_revoked(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()
            await f.node.control.pause(execution["id"], by="ada")
            await f.decide(approval["id"], **YES)
            await f.node.cancelling.revoke(
                approval["id"], by=Person(user="ada", role="owner", owner_id="local"), reason=""
            )
            await f.node.control.resume(execution["id"], by="ada")
            await f.idle()

            task = (await f.tasks(execution["id"]))["send"]
            assert (task["status"], task["error_type"]) == ("ERROR", "APPROVAL_DOES_NOT_STAND")
            assert "revoked" in task["error_message"]

    virtual(go())


def test_a_send_is_stopped_when_the_content_is_not_what_was_approved(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)
            [approval] = await f.approvals()
            await f.decide(approval["id"], **YES)
            await f.idle()
            [data] = await f.event_data(execution["id"], "draft.approved")

            forged = await f.run("draft.approved", {**data, "body": "Buy now"})

            task = (await f.tasks(forged["id"]))["send"]
            assert task["error_type"] == "APPROVAL_DOES_NOT_STAND"

    virtual(go())


def test_cancelling_an_execution_closes_its_approvals(single, virtual):
    async def go() -> None:
        async with single() as f:
            execution = await f.run("draft.made", DRAFT)

            await f.node.cancelling.cancel_execution(execution["id"], by="ada")

            [approval] = await f.approvals(None)
            assert (approval["status"], approval["items"][0]["status"]) == ("cancelled", "cancelled")
            assert (await f.execution(execution["id"]))["status"] == "CANCELLED"
            with pytest.raises(AlreadyDecided):
                await f.decide(approval["id"], **YES)

    virtual(go())


CODE = """
name: code
events: [{name: job.sent}, {name: job.done, description: final}]
functions:
  - {name: work, trigger: {event: job.sent}, handler: "test:work", emits: [job.done]}
"""


def test_a_handler_can_ask_for_an_approval_of_its_own(flow, virtual):
    calls: list[int] = []

    async def count() -> int:
        calls.append(1)
        return len(calls)

    async def work(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        await ctx.step("before", count)
        decision = await ctx.approval("Pay the bill?", {"amount": 12}, timeout="1d")
        return {"decision": decision["decision"]}

    async def go() -> None:
        async with flow(CODE, work=work) as f:
            execution = await f.run("job.sent")
            [approval] = await f.approvals()

            await f.decide(approval["id"], decision="approve")
            await f.idle()

            assert await f.event_data(execution["id"], "job.done") == [{"decision": "approve"}]
            assert calls == [1]

    virtual(go())
