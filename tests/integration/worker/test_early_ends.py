"""How work ends early: people pause or cancel it, the worker ends, another agent gets it."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from tests.integration.worker.conftest import Hub

from tercet.worker import Task

MAIL = {"subtask_id": "a", "title": "Mail", "action": "send_email", "params": {"to": "carol@example.org"}}
NOTES = {"subtask_id": "b", "title": "Notes", "action": "document", "prerequisites": ["a"]}


def test_a_cancelled_execution_cancels_the_async_handler_and_the_worker_goes_on(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email", "document")
        began, ended = asyncio.Event(), asyncio.Event()

        @larry.action("send_email")
        async def send(task: Task) -> None:
            began.set()
            try:
                await asyncio.sleep(60)
            finally:
                assert task.stop_reason == "cancel"
                ended.set()

        larry.action("document")(lambda task: {})

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await began.wait()
            await hub.call("PATCH", f"/executions/{execution_id}", json={"status": "CANCELLED"})
            await asyncio.wait_for(ended.wait(), 5)
            other = await hub.start({**NOTES, "prerequisites": []})
            await hub.until(other, "COMPLETED")

    with_hub(go)


def test_a_paused_execution_tells_the_handler_and_hands_the_work_out_again_afterwards(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")
        reasons: list[str | None] = []
        began, ended = threading.Event(), threading.Event()

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            if not reasons:
                began.set()
                assert task.wait_stopped(10)
                reasons.append(task.stop_reason)
                ended.set()
                task.raise_if_stopped()
            return {"attempt": task.attempt}

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            assert await asyncio.to_thread(began.wait, 5)
            await hub.call("PATCH", f"/executions/{execution_id}", json={"status": "PAUSED"})
            assert await asyncio.to_thread(ended.wait, 5)
            await hub.call("PATCH", f"/executions/{execution_id}", json={"status": "RUNNING"})
            await hub.until(execution_id, "COMPLETED")

        assert reasons == ["pause"]
        assert (await hub.subtask(execution_id, "a"))["result_data"] == {"attempt": 1}

    with_hub(go)


@pytest.mark.parametrize("is_async", [True, False])
def test_a_worker_that_ends_hands_back_what_takes_too_long_and_another_does_it_at_once(with_hub, is_async):
    async def go(hub: Hub) -> None:
        larry, moe = await hub.worker("larry", "send_email"), await hub.worker("moe", "send_email")
        began, free = threading.Event(), threading.Event()

        async def slow(task: Task) -> None:
            began.set()
            await asyncio.sleep(60)

        def blocking(task: Task) -> None:
            began.set()
            free.wait(30)

        larry.action("send_email")(slow if is_async else blocking)
        moe.action("send_email")(lambda task: {"attempt": task.attempt})

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            assert await asyncio.to_thread(began.wait, 5)
        async with hub.working(moe):
            await hub.until(execution_id, "COMPLETED")
        free.set()

        done = await hub.subtask(execution_id, "a")
        assert (done["agent_id"], done["result_data"]) == ("agent_moe", {"attempt": 2})

    with_hub(go)


def test_a_worker_that_ends_lets_a_handler_finish_that_takes_not_too_long(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")
        began = asyncio.Event()

        @larry.action("send_email")
        async def send(task: Task) -> dict[str, Any]:
            began.set()
            await asyncio.sleep(0.1)
            return {"asked_to_stop": task.stopped}

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await began.wait()

        await hub.until(execution_id, "COMPLETED")
        assert (await hub.subtask(execution_id, "a"))["result_data"] == {"asked_to_stop": True}

    with_hub(go)


def test_an_agent_that_was_cut_off_hears_that_its_work_is_another_agents(with_hub):
    async def go(hub: Hub) -> None:
        keys = {name: hub.folder / f"{name}.json" for name in ("larry", "moe")}
        larry, moe = [await hub.worker(name, "send_email", key_file=path) for name, path in keys.items()]
        began = asyncio.Event()
        reasons: list[str | None] = []

        @larry.action("send_email")
        async def send(task: Task) -> None:
            began.set()
            try:
                while True:
                    task.progress("still at it")
                    await asyncio.sleep(0.2)
            finally:
                reasons.append(task.stop_reason)

        moe.action("send_email")(lambda task: task.wait_stopped(2) or {"by": "moe"})

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await began.wait()
            key = json.loads(keys["larry"].read_bytes())["api_key"]
            hub.trouble.cut_off.add(key)
            async with hub.working(moe):
                while (await hub.subtask(execution_id, "a"))["agent_id"] != "agent_moe":  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
                hub.trouble.cut_off.clear()
                await hub.until(execution_id, "COMPLETED")
            while not reasons:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

        assert reasons == ["lost"]
        assert (await hub.subtask(execution_id, "a"))["result_data"] == {"by": "moe"}

    with_hub(go, work_lease_seconds=1)
