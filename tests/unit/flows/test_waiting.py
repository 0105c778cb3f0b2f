"""Sleeps, waits for events, delays, fan-in, cron: all of them rows, none of them coroutines."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tercet.domain.errors import InvalidInput, InvalidStateTransition

WAIT = """
name: waiting
events: [{name: job.sent}, {name: answer.came}, {name: job.done, description: final}]
functions:
  - {name: work, trigger: {event: job.sent}, handler: "test:work", emits: [job.done]}
  - {name: note, trigger: {event: answer.came}, handler: "test:note"}
"""


async def note(event: dict[str, Any], ctx: Any) -> None:
    return None


def test_a_sleeping_task_holds_no_slot_and_goes_on_when_the_time_has_passed(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> dict[str, str]:
        await ctx.sleep("3d")
        return {"slept": "3d"}

    async def go() -> None:
        async with flow(WAIT, work=work, note=note) as f:
            execution = await f.run("job.sent")
            assert execution["status"] == "BLOCKED"
            assert f.node.engine.running_attempts == 0

            await asyncio.sleep(3 * 86_400 + 1)
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"

    virtual(go())


@pytest.mark.parametrize("early", [True, False])
def test_a_wait_matches_an_event_whether_it_came_before_or_after(flow, virtual, early):
    seen: list[Any] = []

    async def work(event: dict[str, Any], ctx: Any) -> None:
        if early:
            await ctx.sleep("1h")
        answer = await ctx.wait_for_event("answer.came", match="data.id == 7", timeout="1d")
        seen.append(answer["data"])

    async def go() -> None:
        async with flow(WAIT, work=work, note=note) as f:
            execution = await f.run("job.sent")
            for number in (6, 8, 7):
                await f.send("answer.came", {"id": number}, execution_id=execution["id"])
            await asyncio.sleep(2 * 3600)
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert seen == [{"id": 7}]

    virtual(go())


def test_a_wait_gives_none_when_its_timeout_passes(flow, virtual):
    seen: list[Any] = []

    async def work(event: dict[str, Any], ctx: Any) -> None:
        seen.append(await ctx.wait_for_event("answer.came", timeout="1h"))

    async def go() -> None:
        async with flow(WAIT, work=work, note=note) as f:
            execution = await f.run("job.sent")
            await asyncio.sleep(3601)
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert seen == [None]

    virtual(go())


def test_an_outside_event_joins_the_execution_that_waits_for_it(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        await ctx.wait_for_event("answer.came", match=f"data.job == '{event['data']['job']}'")

    async def go() -> None:
        async with flow(WAIT, work=work, note=note) as f:
            first, second = await f.run("job.sent", {"job": "a"}), await f.run("job.sent", {"job": "b"})

            joined = await f.send("answer.came", {"job": "b"})
            await f.idle()

            assert joined == second["id"]
            assert (await f.execution(first["id"]))["status"] == "BLOCKED"
            assert (await f.execution(second["id"]))["status"] == "COMPLETED"

    virtual(go())


DELAYED = """
name: delayed
events: [{name: job.sent}, {name: job.later}]
functions:
  - {name: first, trigger: {event: job.sent}, handler: "test:first", emits: [{event: job.later, delay: 2h}]}
  - {name: second, trigger: {event: job.later}, handler: "test:second"}
"""


def test_a_delayed_event_comes_after_its_delay(flow, virtual):
    times: list[float] = []

    async def first(event: dict[str, Any], ctx: Any) -> dict[str, int]:
        times.append(asyncio.get_running_loop().time())
        return {"n": 1}

    async def second(event: dict[str, Any], ctx: Any) -> None:
        times.append(asyncio.get_running_loop().time())

    async def go() -> None:
        async with flow(DELAYED, first=first, second=second) as f:
            execution = await f.run("job.sent")
            assert (execution["status"], execution["status_message"]) == ("BLOCKED", "1 delayed event")

            await asyncio.sleep(7201)
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert times[1] - times[0] == pytest.approx(7200, abs=0.1)

    virtual(go())


FAN_IN = """
name: fan
events: [{name: job.sent}, {name: part.sent}, {name: part.done}, {name: job.joined, description: final}]
functions:
  - {name: split, trigger: {event: job.sent}, handler: "test:split", emits: [part.sent]}
  - {name: part, trigger: {event: part.sent}, handler: "test:part", emits: [part.done]}
  - name: join
    pattern: fan-in
    trigger: {primary: job.sent, wait_for: [part.done], correlation_key: job_id, count: data.parts, timeout: 1h}
    handler: test:join
    emits: [job.joined]
"""


def _fan_handlers(missing: int | None) -> dict[str, Any]:
    async def split(event: dict[str, Any], ctx: Any) -> None:
        for number in range(event["data"]["parts"]):
            ctx.emit("part.sent", {"job_id": event["data"]["job_id"], "number": number})

    async def part(event: dict[str, Any], ctx: Any) -> dict[str, Any] | None:
        return None if event["data"]["number"] == missing else event["data"]

    async def join(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        data = event["data"]
        parts = sorted(p["number"] for p in data["events"].get("part.done", []))
        return {
            "parts": parts,
            "partial": data["partial"],
            "missing": data["missing"],
            "job": data["primary"]["job_id"],
        }

    return {"split": split, "part": part, "join": join}


def test_a_fan_in_starts_once_when_every_part_has_come(flow, virtual):
    async def go() -> None:
        async with flow(FAN_IN, **_fan_handlers(None)) as f:
            execution = await f.run("job.sent", {"job_id": "j1", "parts": 5})

            assert execution["status"] == "COMPLETED"
            assert await f.event_data(execution["id"], "job.joined") == [
                {"parts": [0, 1, 2, 3, 4], "partial": False, "missing": [], "job": "j1"}
            ]

    virtual(go())


def test_a_fan_in_gives_a_partial_result_when_its_timeout_passes(flow, virtual):
    async def go() -> None:
        async with flow(FAN_IN, **_fan_handlers(3)) as f:
            execution = await f.run("job.sent", {"job_id": "j1", "parts": 5})
            assert execution["status"] == "BLOCKED"

            await asyncio.sleep(3601)
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert await f.event_data(execution["id"], "job.joined") == [
                {"parts": [0, 1, 2, 4], "partial": True, "missing": ["part.done"], "job": "j1"}
            ]

    virtual(go())


CRON = """
name: timed
events: [{name: report.made, description: final}]
functions:
  - name: report
    pattern: cron
    trigger: {cron: "30 2 * * *", timezone: Europe/Copenhagen}
    handler: test:report
    emits: [report.made]
"""


def test_a_cron_function_runs_at_its_local_time_over_a_change_of_daylight_saving(flow, virtual):
    times: list[str] = []

    async def report(event: dict[str, Any], ctx: Any) -> Any:
        times.append(event["data"]["scheduled_at"])
        return event["data"]

    async def go() -> None:
        async with flow(CRON, start="2026-03-27", report=report):
            # Denmark's summer time begins on 2026-03-29 at 02:00: there is no 02:30 on that day.
            await asyncio.sleep(4 * 86_400)

    virtual(go())

    assert times == [
        "2026-03-27T01:30:00.000Z", "2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z",
    ]  # fmt: skip


def test_an_event_is_refused_when_no_manifest_declares_it(flow, virtual):
    async def go() -> None:
        async with flow(WAIT, work=note, note=note) as f:
            with pytest.raises(InvalidInput, match=r"did you mean 'job\.sent'"):
                await f.send("job.snet")

    virtual(go())


def test_an_event_is_refused_when_its_execution_has_ended(flow, virtual):
    async def go() -> None:
        async with flow(WAIT, work=note, note=note) as f:
            execution = await f.run("job.sent")

            with pytest.raises(InvalidStateTransition, match="has ended"):
                await f.send("answer.came", execution_id=execution["id"])

    virtual(go())


def test_an_event_is_recorded_once_when_it_is_sent_twice_with_one_key(flow, virtual):
    async def go() -> None:
        async with flow(WAIT, work=note, note=note) as f:
            receipts = await asyncio.gather(
                *(
                    f.node.events.send(
                        owner_id="local", name="job.sent", data={"n": 1}, source="test", idempotency_key="k"
                    )
                    for _ in range(5)
                )
            )

            assert len({receipt.execution_id for receipt in receipts}) == 1
            assert sorted(receipt.duplicate for receipt in receipts) == [False, True, True, True, True]

    virtual(go())
