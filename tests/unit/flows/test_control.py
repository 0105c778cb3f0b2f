"""Pausing, resuming, cancelling, giving up, retrying, pinned revisions, recovery."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tercet.domain.errors import InvalidStateTransition, NotFound
from tercet.harness import open_flow
from tercet.manifest.checks import open_text
from tercet.store.listing import get_execution
from tercet.testing.virtual_time import VirtualClock

TWO = """
name: two
events: [{name: job.sent}, {name: job.half}, {name: job.done, description: final}]
functions:
  - {name: first, trigger: {event: job.sent}, handler: "test:first", emits: [job.half], config: {timeout: 1d}}
  - {name: second, trigger: {event: job.half}, handler: "test:second", emits: [job.done]}
"""


async def quick(event: dict[str, Any], ctx: Any) -> dict[str, str]:
    return {"by": ctx.task.handler}


async def slow(event: dict[str, Any], ctx: Any) -> dict[str, int]:
    for number in range(10):
        await ctx.step(f"s{number}", asyncio.sleep, 60, number)
    return {"done": 10}


def test_a_paused_execution_stops_before_the_next_step_and_goes_on_when_resumed(flow, virtual):
    async def go() -> None:
        async with flow(TWO, first=slow, second=quick) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(150)
            await f.node.control.pause(execution_id, by="ada")
            await asyncio.sleep(86_400)

            task = (await f.tasks(execution_id))["first"]
            assert (task["status"], len(task["subtasks"])) == ("QUEUED", 3)
            assert (await f.execution(execution_id))["status"] == "PAUSED"

            await f.node.control.resume(execution_id, by="ada")
            await asyncio.sleep(3600)
            await f.idle()

            assert (await f.execution(execution_id))["status"] == "COMPLETED"

    virtual(go())


def test_a_cancelled_execution_stops_its_running_attempt(flow, virtual):
    async def go() -> None:
        async with flow(TWO, first=slow, second=quick) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(90)

            await f.node.control.cancel(execution_id, by="ada", reason="wrong file")
            await asyncio.sleep(0)

            execution = await f.execution(execution_id)
            assert (execution["status"], execution["status_message"]) == (
                "CANCELLED",
                "cancelled by ada: wrong file",
            )
            assert (await f.tasks(execution_id))["first"]["status"] == "CANCELLED"
            assert f.node.engine.running_attempts == 0

    virtual(go())


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel"])
def test_a_completed_execution_refuses_every_change(flow, virtual, verb):
    async def go() -> None:
        async with flow(TWO, first=quick, second=quick) as f:
            execution = await f.run("job.sent")

            with pytest.raises(InvalidStateTransition):
                await getattr(f.node.control, verb)(execution["id"], by="ada")

    virtual(go())


def test_an_unknown_execution_is_not_found(flow, virtual):
    async def go() -> None:
        async with flow(TWO, first=quick, second=quick) as f:
            with pytest.raises(NotFound):
                await f.node.control.pause("exe_nothing", by="ada")

    virtual(go())


def test_retrying_a_failed_execution_starts_a_new_linked_one(flow, virtual):
    broken = [True]

    async def first(event: dict[str, Any], ctx: Any) -> Any:
        if broken[0]:
            raise RuntimeError("no")
        return event["data"]

    async def go() -> None:
        async with flow(TWO, first=first, second=quick) as f:
            execution_id = await f.send("job.sent", {"n": 1})
            await asyncio.sleep(3600)
            await f.node.cancelling.fail_execution(execution_id, reason="given up by ada")
            failed = await f.execution(execution_id)
            assert failed["status"] == "FAILED"

            broken[0] = False
            new_id = await f.node.retries.retry(failed, by="ada")
            await f.idle()

            new = await f.execution(new_id)
            assert (new["status"], new["retry_of"]) == ("COMPLETED", execution_id)
            assert (await f.event_data(new_id, "job.half")) == [{"n": 1}]

    virtual(go())


def test_a_changed_manifest_affects_new_executions_only(flow, virtual):
    changed = TWO.replace("emits: [job.done]", "emits: [{event: job.done, when: 'false'}]")

    async def first(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        await ctx.sleep("1h")
        return {}

    async def go() -> None:
        async with flow(TWO, first=first, second=quick) as f:
            old = await f.run("job.sent")
            deployed = await f.node.catalog.deploy(f.node.engine, open_text(changed), owner_id="local")
            assert deployed.revision == 2
            new = await f.run("job.sent")
            await asyncio.sleep(3601)
            await f.idle()

            assert "job.done" in await f.event_names(old["id"])
            assert "job.done" not in await f.event_names(new["id"])

    virtual(go())


def test_an_unchanged_manifest_makes_no_new_revision(flow, virtual):
    async def go() -> None:
        async with flow(TWO, first=quick, second=quick) as f:
            again = await f.node.catalog.deploy(f.node.engine, open_text(TWO), owner_id="local")

            assert again.revision == 1

    virtual(go())


def test_a_stopped_node_hands_its_tasks_back_and_the_next_one_finishes_them(tmp_path, virtual):
    runs: list[str] = []

    async def first(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
        async def count(name: str) -> str:
            runs.append(name)
            return name

        await ctx.step("once", count, "once")
        if len(runs) == 1 and ctx.attempt == 1:
            await asyncio.sleep(3_600)
        return {}

    async def go() -> None:
        handlers = {"first": first, "second": quick}
        async with open_flow(tmp_path, TWO, handlers, clock=VirtualClock(), inline=True) as f:
            execution_id = await f.send("job.sent")
            await asyncio.sleep(1)
        async with open_flow(tmp_path, TWO, handlers, clock=VirtualClock(), inline=True) as f:
            await f.idle()
            row = await f.node.reader.read(get_execution, owner_id="local", execution_id=execution_id)

            assert row is not None
            assert row["status"] == "COMPLETED"
            assert runs == ["once"]
            assert (await f.tasks(execution_id))["first"]["failures"] == 0

    virtual(go())


PRIORITY = """
name: priority
events: [{name: low.sent}, {name: high.sent}]
functions:
  - {name: low, trigger: {event: low.sent}, handler: "test:low", priority: 500}
  - {name: high, trigger: {event: high.sent}, handler: "test:high", priority: 1}
"""


def test_urgent_tasks_go_first_when_slots_are_scarce(tmp_path, virtual):
    order: list[str] = []

    async def note(event: dict[str, Any], ctx: Any) -> None:
        order.append(ctx.task.handler)
        await asyncio.sleep(1)

    async def go() -> None:
        handlers = {"low": note, "high": note}
        async with open_flow(tmp_path, PRIORITY, handlers, clock=VirtualClock(), inline=True, slots=1) as f:
            for name in ("low.sent", "low.sent", "low.sent", "high.sent"):
                await f.send(name)
            await asyncio.sleep(10)
            await f.idle()

    virtual(go())

    assert order == ["low", "high", "low", "low"]


CYCLE = """
name: cycle
config: {max_hops: 5}
events: [{name: a.sent, outside: true}, {name: b.sent}]
functions:
  - {name: one, trigger: {event: a.sent}, handler: "test:one", emits: [b.sent]}
  - {name: two, trigger: {event: b.sent}, handler: "test:two", emits: [a.sent]}
"""


def test_a_cycle_ends_in_a_dead_letter_when_it_passes_max_hops(flow, virtual):
    async def go() -> None:
        async with flow(CYCLE, one=quick, two=quick) as f:
            execution = await f.run("a.sent")

            failed = [t for t in await f.all_tasks(execution["id"]) if t["status"] == "ERROR"]
            assert [t["error_type"] for t in failed] == ["HOP_LIMIT"]
            assert len(await f.all_tasks(execution["id"])) == 7

    virtual(go())


ROUTES = """
name: routes
events: [{name: x.sent}, {name: x.yes}, {name: x.other}]
functions:
  - name: route
    pattern: routing
    trigger: {event: x.sent, if: data.go}
    route_on: data.answer
    routes: {"yes": {emit: x.yes}}
    default_route: {emit: x.other}
  - {name: yes, trigger: {event: x.yes}, executor: {type: template_engine, template: "Hello {{ name }}"}}
  - {name: other, trigger: {event: x.other}, executor: {type: template_engine, template: "{{ missing }}"}}
"""


def test_routing_chooses_by_value_and_filters_keep_events_out(flow, virtual):
    async def go() -> None:
        async with flow(ROUTES) as f:
            yes = await f.run("x.sent", {"go": True, "answer": "yes", "name": "Ada"})
            other = await f.run("x.sent", {"go": True, "answer": 5})
            kept_out = await f.run("x.sent", {"go": False})

            assert '"Hello Ada"' in (await f.tasks(yes["id"]))["yes"]["result_data"]
            assert (await f.tasks(other["id"]))["other"]["error_type"] == "MISSING_VARIABLE"
            assert (kept_out["status"], kept_out["tasks_total"]) == ("COMPLETED", 0)

    virtual(go())
