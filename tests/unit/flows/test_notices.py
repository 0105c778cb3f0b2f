"""Notices commit with what they tell, and are sent again until somebody takes them or some days have passed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput, NonRetryable, NotFound
from tercet.domain.status import SubtaskStatus
from tercet.engine.state import SubtaskState
from tercet.engine.subtasks import block_subtask
from tercet.harness import OWNER, Flow
from tercet.humans.channels import Message
from tercet.humans.subscriptions import Registration, Subscription
from tercet.store.notices import count_untried
from tercet.store.reader import Record, records
from tercet.store.tables import executions
from tercet.tools.webhooks import DeliveryFailed

FLOW = """
name: orders
events:
  - {name: order.placed}
  - {name: order.checked}
  - {name: order.approved, description: final}
  - {name: order.rejected, description: final}
  - {name: order.late, description: final}
functions:
  - {name: check, trigger: {event: order.placed}, handler: "test:check", emits: [{event: order.checked, carry: true}]}
humans:
  - name: review
    trigger: {event: order.checked}
    escalation: {after: 1h, to: [boss@example.org]}
    emits: [{event: order.approved, on: approve}, {event: order.rejected, on: reject}]
"""
BUNDLE = """
name: bundle
events:
  - {name: item.made}
  - {name: item.approved, description: final}
  - {name: item.rejected, description: final}
humans:
  - name: review
    trigger: {event: item.made}
    bundle: {key: campaign, expects: 3}
    emits: [{event: item.approved, on: approve}, {event: item.rejected, on: reject}]
"""
SLEEPER = """
name: sleeper
events:
  - {name: nap.asked}
functions:
  - {name: nap, trigger: {event: nap.asked}, handler: "test:nap"}
"""


async def check(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    if event["data"].get("fail"):
        raise NonRetryable("the address jane@example.org bounced")
    return {}


async def nap(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    await ctx.sleep("4h")
    return {}


class Receiver:
    """A channel that notes what it is given and fails as told."""

    def __init__(self, *failures: DeliveryFailed) -> None:
        self.messages: list[Message] = []
        self.failures = list(failures)

    async def __call__(self, subscription: Subscription, message: Message) -> int:
        self.messages.append(message)
        if self.failures:
            raise self.failures.pop(0)
        return 204

    @property
    def contents(self) -> list[dict[str, Any]]:
        return [from_json(message.body) for message in self.messages]

    @property
    def types(self) -> list[str]:
        return [content["type"] for content in self.contents]


async def listen(flow: Flow, receiver: Receiver, *events: str) -> Subscription:
    flow.node.outbox.send = receiver
    wanted = Registration.model_validate(
        {"url": "https://192.0.2.1/hook", **({"events": list(events)} if events else {})}
    )
    flow.node.outbox.subscriptions._check_url = anywhere
    subscription, _ = await flow.node.outbox.subscriptions.register(wanted, by=OWNER)
    return subscription


def executions_of(connection: sa.Connection) -> list[Record]:
    return records(connection.execute(sa.select(executions.c.status)))


async def anywhere(_url: str) -> None:
    return


async def settled(flow: Flow) -> None:
    await asyncio.sleep(0.1)
    await flow.idle()


def test_an_approval_is_told_with_its_link_and_without_personal_data(flow, virtual):
    async def go() -> None:
        async with flow(FLOW, check=check) as f:
            receiver = Receiver()
            await listen(f, receiver)
            execution = await f.run("order.placed", {"to": "jane@example.org"})
            await settled(f)
            approval = (await f.approvals())[0]

            told = next(content for content in receiver.contents if content["type"] == "approval.requested")
            assert told["data"]["approval_id"] == approval["id"]
            assert told["data"]["execution_id"] == execution["id"]
            assert told["data"]["title"] == "review"
            assert told["data"]["link"].endswith(f"/inbox?approval={approval['id']}")
            assert sorted(receiver.types) == ["approval.requested", "execution.blocked"]

            await asyncio.sleep(3_601)
            await settled(f)
            assert receiver.types[2:] == ["approval.escalated"]
            assert receiver.contents[2]["data"]["message"] == "to b***@example.org"
            await f.decide(approval["id"], decision="approve")
            await settled(f)
            assert receiver.types[3:] == ["execution.completed"]
            assert len({message.id for message in receiver.messages}) == 4

    virtual(go())


def test_a_failure_is_told_to_those_who_asked_for_it_only(flow, virtual):
    async def go() -> None:
        async with flow(FLOW, check=check) as f:
            receiver = Receiver()
            await listen(f, receiver, "task.failed")
            await listen(f, receiver, "execution.cancelled")
            await f.run("order.placed", {"fail": True})
            await settled(f)

            assert receiver.types == ["task.failed"]
            data = receiver.contents[0]["data"]
            assert data["message"] == "the address j***@example.org bounced"
            assert data["handler"] == "check"

    virtual(go())


def test_a_blocked_agent_is_told_with_what_it_reported(flow, virtual):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver()
            await listen(f, receiver, "task.blocked")
            execution_id = await f.send("nap.asked")
            await f.idle()
            async with f.node.engine.hold(execution_id) as state:
                change = f.node.engine.change(state)
                task = next(iter(state.tasks.values()))
                subtask = SubtaskState(name="call", status=SubtaskStatus.RUNNING, agent_id="agt_1")
                reason = "Carol's email address (carol@example.org) bounced"
                block_subtask(change, task, subtask, reason=reason, waits_for="review:call:1")
                await f.node.engine.submit(change)
            await settled(f)

            data = receiver.contents[0]["data"]
            assert (receiver.types, data["subtask_id"]) == (["task.blocked"], "call")
            assert data["message"] == "Carol's email address (c***@example.org) bounced"

    virtual(go())


def test_a_bundle_is_told_once_when_it_is_ready(flow, virtual):
    async def go() -> None:
        async with flow(BUNDLE) as f:
            receiver = Receiver()
            await listen(f, receiver, "approval.requested")
            for _ in range(2):
                await f.run("item.made", {"campaign": "c"})
            await settled(f)
            assert receiver.types == []

            await f.run("item.made", {"campaign": "c"})
            await settled(f)

            assert receiver.types == ["approval.requested"]
            assert receiver.contents[0]["data"]["message"] == "3 items"

    virtual(go())


def test_an_execution_that_only_sleeps_is_not_told_as_blocked(flow, virtual):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver()
            await listen(f, receiver)
            await f.run("nap.asked")
            await asyncio.sleep(5 * 3_600)
            await settled(f)

            assert receiver.types == ["execution.completed"]

    virtual(go())


def test_a_message_is_sent_again_with_the_same_id_until_it_is_taken(flow, virtual):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver(
                DeliveryFailed("the receiver answered 500", status=500),
                DeliveryFailed("the receiver answered 429", status=429, retry_after_seconds=7_200),
            )
            subscription = await listen(f, receiver, "execution.completed")
            await f.run("nap.asked")
            await asyncio.sleep(4 * 3_600 + 60)
            await settled(f)
            waiting = (await f.node.outbox.subscriptions.deliveries(subscription, limit=10))[0]
            assert (waiting["status"], waiting["attempts"], waiting["answer_status"]) == ("pending", 2, 429)

            await asyncio.sleep(7_200)
            await settled(f)

            taken = (await f.node.outbox.subscriptions.deliveries(subscription, limit=10))[0]
            assert (taken["status"], taken["attempts"], taken["answer_status"]) == ("delivered", 3, 204)
            assert len(receiver.messages) == 3
            assert len({(message.id, message.body) for message in receiver.messages}) == 1

    virtual(go())


def test_a_message_that_nobody_takes_is_given_up_after_eight_attempts(flow, virtual):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver(*[DeliveryFailed("the address cannot be reached") for _ in range(20)])
            subscription = await listen(f, receiver)
            await f.run("nap.asked")
            await asyncio.sleep(14 * 86_400)
            await settled(f)

            row = (await f.node.outbox.subscriptions.deliveries(subscription, limit=10))[0]
            assert (row["status"], row["attempts"]) == ("failed", 8)
            assert row["error"] == "the address cannot be reached"
            assert len(receiver.messages) == 8

    virtual(go())


@pytest.mark.parametrize(
    ("failure", "status"),
    [(DeliveryFailed("gone", status=410, final=True), "failed"), (ValueError("a bug"), "pending")],
)
def test_a_receiver_that_is_gone_is_left_alone_and_a_bug_costs_one_attempt(flow, virtual, failure, status):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver(failure)
            subscription = await listen(f, receiver)
            await f.run("nap.asked")
            await asyncio.sleep(4 * 3_600 + 2)
            await settled(f)

            row = (await f.node.outbox.subscriptions.deliveries(subscription, limit=10))[0]
            assert (row["status"], row["attempts"]) == (status, 1)

    virtual(go())


def test_after_its_deletion_nothing_is_sent(flow, virtual):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            receiver = Receiver(DeliveryFailed("the receiver answered 500", status=500))
            subscription = await listen(f, receiver)
            await f.run("nap.asked")
            await asyncio.sleep(4 * 3_600 + 2)
            await settled(f)
            await f.node.outbox.subscriptions.delete(subscription)
            await f.run("nap.asked")
            await asyncio.sleep(5 * 3_600)
            await settled(f)

            rows = await f.node.outbox.subscriptions.deliveries(subscription, limit=10)
            assert [(row["status"], row["attempts"]) for row in rows] == [("dropped", 1)]
            assert len(receiver.messages) == 1
            with pytest.raises(NotFound):
                f.node.outbox.subscriptions.get(subscription.id, OWNER.owner_id)

    virtual(go())


def test_an_attempt_that_a_stop_cut_off_is_made_by_the_next_process(flow, virtual):
    async def hang(_subscription: Subscription, _message: Message) -> int:
        await asyncio.sleep(10**9)
        return 204

    async def go() -> None:
        async with flow(FLOW, check=check) as f:
            subscription = await listen(f, Receiver(), "task.failed")
            f.node.outbox.send = hang
            await f.send("order.placed", {"fail": True})
            await asyncio.sleep(1)
        receiver = Receiver()
        async with flow(FLOW, start="2026-01-02", check=check) as f:
            f.node.outbox.send = receiver
            await asyncio.sleep(1)
            await settled(f)

            assert receiver.types == ["task.failed"]
            rows = await f.node.outbox.subscriptions.deliveries(subscription, limit=10)
            assert [(row["status"], row["attempts"]) for row in rows] == [("delivered", 1)]

    virtual(go())


def test_a_slow_receiver_holds_nobody_up(flow, virtual):
    async def slow(_subscription: Subscription, _message: Message) -> int:
        await asyncio.sleep(100)
        return 204

    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            await listen(f, Receiver())
            f.node.outbox.send = slow
            for _ in range(30):
                await f.send("nap.asked")
            await asyncio.sleep(4 * 3_600 + 5)
            statuses = {row["status"] for row in await f.node.reader.read(executions_of)}
            assert statuses == {"COMPLETED"}

            await asyncio.sleep(250)
            assert await f.node.reader.read(count_untried) == 0

    virtual(go())


@pytest.mark.parametrize(
    "wanted",
    [
        {}, {"channel": "email"}, {"channel": "email", "target": "a@example.org", "url": "https://x.example"},
        {"channel": "slack", "url": "https://x.example", "secret": "whsec_x"}, {"url": "https://x.example", "target": "a@b.org"},
        {"url": "https://x.example", "secret": "short"},
    ],
)  # fmt: skip
def test_a_registration_that_does_not_fit_its_channel_is_refused(flow, virtual, wanted):
    async def go() -> None:
        async with flow(SLEEPER, nap=nap) as f:
            f.node.outbox.subscriptions._check_url = anywhere
            with pytest.raises(InvalidInput):
                await f.node.outbox.subscriptions.register(Registration.model_validate(wanted), by=OWNER)

    virtual(go())
