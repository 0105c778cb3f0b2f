"""Named steps, retries, timeouts, dead letters."""

from __future__ import annotations

import asyncio
from typing import Any

from tercet.domain.errors import NonRetryable

ONE = """
name: one
events: [{name: job.sent}, {name: job.done, description: final}]
functions:
  - name: work
    trigger: {event: job.sent}
    handler: test:work
    config: {retries: 2, timeout: 10s}
    emits: [job.done]
"""


async def twice(value: int) -> int:
    return value * 2


def test_a_step_returns_its_recorded_result_when_the_task_is_retried(flow, virtual):
    runs: list[str] = []

    async def count(name: str) -> str:
        runs.append(name)
        return name

    async def work(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        first = await ctx.step("first", count, "first")
        if ctx.attempt < 3:
            raise RuntimeError("not yet")
        return {"first": first, "second": await ctx.step("second", count, "second")}

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(60)
            await f.idle()

            assert (await f.execution(execution_id))["status"] == "COMPLETED"
            assert (await f.tasks(execution_id))["work"]["attempt"] == 3
            assert runs == ["first", "second"]
            assert await f.event_data(execution_id, "job.done") == [{"first": "first", "second": "second"}]

    virtual(go())


def test_a_task_becomes_a_dead_letter_when_its_retries_are_used_up(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        raise RuntimeError(f"attempt {ctx.attempt}")

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(600)
            await f.idle()

            task = (await f.tasks(execution_id))["work"]
            execution = await f.execution(execution_id)
            assert (task["status"], task["attempt"], task["failures"]) == ("ERROR", 3, 3)
            assert (task["error_type"], task["error_message"]) == ("RuntimeError", "attempt 3")
            assert execution["status"] == "BLOCKED"
            assert execution["status_message"] == "1 failed task: retry or skip"

    virtual(go())


def test_a_dead_letter_completes_the_execution_when_a_person_retries_it(flow, virtual):
    broken = [True]

    async def work(event: dict[str, Any], ctx: Any) -> dict[str, bool]:
        if broken[0]:
            raise NonRetryable("the address is wrong")
        return {"ok": True}

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution = await f.run("job.sent")
            task = (await f.tasks(execution["id"]))["work"]
            assert (task["status"], task["attempt"]) == ("ERROR", 1)

            broken[0] = False
            await f.node.control.retry_task(execution["id"], task["id"], by="ada")
            await f.idle()

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"

    virtual(go())


def test_skipping_a_dead_letter_completes_the_execution(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        raise NonRetryable("no")

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution = await f.run("job.sent")
            task = (await f.tasks(execution["id"]))["work"]

            await f.node.control.skip_task(execution["id"], task["id"], by="ada")

            assert (await f.execution(execution["id"]))["status"] == "COMPLETED"
            assert (await f.tasks(execution["id"]))["work"]["status"] == "SKIPPED"

    virtual(go())


def test_an_attempt_fails_when_it_runs_longer_than_its_timeout(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        await asyncio.sleep(11)

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(600)
            await f.idle()

            task = (await f.tasks(execution_id))["work"]
            assert (task["status"], task["error_type"]) == ("ERROR", "HANDLER_TIMED_OUT")
            assert task["error_message"] == "the attempt ran longer than 10 s"

    virtual(go())


def test_a_step_name_is_refused_when_it_is_used_twice(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        await ctx.step("same", twice, 1)
        await ctx.step("same", twice, 2)

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution = await f.run("job.sent")

            task = (await f.tasks(execution["id"]))["work"]
            assert task["error_type"] == "NON_RETRYABLE"
            assert "'same' is used twice" in task["error_message"]

    virtual(go())


def test_a_result_is_refused_when_it_is_not_json(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> Any:
        return {"socket": object()}

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution = await f.run("job.sent")

            assert "not JSON" in (await f.tasks(execution["id"]))["work"]["error_message"]

    virtual(go())


def test_an_event_is_refused_when_the_handler_does_not_declare_it(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        ctx.emit("job.other", {})

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution = await f.run("job.sent")

            assert "may not emit 'job.other'" in (await f.tasks(execution["id"]))["work"]["error_message"]
            assert await f.event_names(execution["id"]) == ["job.sent"]

    virtual(go())


def test_emitted_events_are_dropped_when_the_attempt_fails(flow, virtual):
    async def work(event: dict[str, Any], ctx: Any) -> None:
        ctx.emit("job.done", {"attempt": ctx.attempt})
        if ctx.attempt == 1:
            raise RuntimeError("after emitting")

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(60)
            await f.idle()

            assert await f.event_data(execution_id, "job.done") == [{"attempt": 2}]

    virtual(go())


def test_the_idempotency_key_stays_the_same_over_attempts(flow, virtual):
    keys: list[str] = []

    async def work(event: dict[str, Any], ctx: Any) -> None:
        keys.append(ctx.idempotency_key)
        if ctx.attempt < 3:
            raise RuntimeError("again")

    async def go() -> None:
        async with flow(ONE, work=work) as f:
            await f.send("job.sent")
            await asyncio.sleep(60)
            await f.idle()

            assert len(keys) == 3
            assert len(set(keys)) == 1

    virtual(go())
