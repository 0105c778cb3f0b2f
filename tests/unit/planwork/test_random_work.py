"""Agents and people do anything in any order, late and twice: the plan still ends, and its log folds to its rows."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tercet.domain.errors import TercetError
from tercet.harness import OWNER
from tercet.humans.decide import Decision

_EVENTS = ("task_started", "task_progress", "task_complete", "task_error", "task_blocked", "heartbeat")
_ENDED = ("COMPLETED", "CANCELLED", "FAILED")


def random_plan(chance: random.Random) -> dict[str, Any]:
    tasks: list[dict[str, Any]] = []
    for number in range(chance.randint(1, 4)):
        names = [f"t{number}s{n}" for n in range(chance.randint(0, 3))]
        tasks.append(
            {
                "task_id": f"t{number}", "risk_tier": chance.choice([1, 1, 2, 3]), "priority": chance.randint(1, 3),
                "acceptance_criteria": ["good"] if chance.random() < 0.3 else [],
                "prerequisites": [t["task_id"] for t in tasks if chance.random() < 0.4],
                "subtasks": [
                    {
                        "subtask_id": name, "action": chance.choice(["x", "y"]),
                        "prerequisites": [other for other in names[:n] if chance.random() < 0.5],
                        "retry_policy": {"max_attempts": 2, "backoff_seconds": 60},
                    }
                    for n, name in enumerate(names)
                ],
            }
        )  # fmt: skip
    return {"title": "Random", "phases": [{"phase_id": "p", "tasks": tasks}]}


async def decide_all(s: Any, chance: random.Random | None) -> None:
    for approval in await s.approvals():
        verdict = "approve" if chance is None else chance.choice(["approve", "approve", "reject", "revise"])
        options = (
            [o for o in ("retry_task", "skip_task") if o in approval["spec"]] if verdict == "approve" else []
        )
        option = chance.choice([None, *options]) if chance is not None else next(iter(options), None)
        try:
            decision = Decision(decision=verdict, option=option, feedback="because")
            await s.node.decisions.decide(approval["id"], decision, by=OWNER)
        except TercetError:
            continue


async def do_anything(
    s: Any, execution_id: str, agents: list[Any], names: list[str], chance: random.Random
) -> None:
    agent = chance.choice(agents)
    what = chance.random()
    if what < 0.35:
        await s.poll(agent)
    elif what < 0.8:
        fields: dict[str, Any] = {"output_data": {"criteria_met": ["good"]}} if chance.random() < 0.5 else {}
        fields["human_review_required"] = chance.random() < 0.2
        for _ in range(chance.choice([1, 1, 2])):
            await s.report(execution_id, agent, chance.choice(_EVENTS), chance.choice(names), **fields)
    elif what < 0.87:
        await decide_all(s, chance)
    elif what < 0.91:
        await s.node.control.pause(execution_id, by="ada")
    elif what < 0.96:
        await s.node.control.resume(execution_id, by="ada")
    else:
        await s.sleep(chance.choice([0.1, 0.6, 3]))


async def finish(s: Any, execution_id: str, agents: list[Any]) -> None:
    """Work on as everybody should, for as long as it takes."""
    for _ in range(150):
        if await s.status(execution_id) in _ENDED:
            return
        if await s.status(execution_id) == "PAUSED":
            await s.node.control.resume(execution_id, by="ada")
        await decide_all(s, None)
        for task in (await s.tasks(execution_id)).values():
            if task["status"] == "ERROR":
                await s.node.control.skip_task(execution_id, task["id"], by="ada")
        for agent in agents:
            work = await s.poll(agent)
            if work is not None and work["work_available"]:
                name = work["next_task"]["task_id"]
                output = {"criteria_met": ["good"]}
                await s.report(execution_id, agent, "task_complete", name, output_data=output)
        await s.sleep(0.6)
    raise AssertionError(f"the plan never ends: {await s.execution(execution_id)}")


@pytest.mark.parametrize("seed", range(16))
def test_a_plan_ends_whatever_agents_and_people_did_before(shop, virtual, seed):
    async def go() -> None:
        chance = random.Random(seed)
        async with shop() as s:
            agents = [await s.agent("a", "x", "y"), await s.agent("b", "x", "perform_task")]
            plan = random_plan(chance)
            names = [t["task_id"] for t in plan["phases"][0]["tasks"]]
            names += [sub["subtask_id"] for t in plan["phases"][0]["tasks"] for sub in t["subtasks"]]
            execution_id = await s.start(plan, *agents)
            for _ in range(60):
                try:
                    await do_anything(s, execution_id, agents, names, chance)
                except TercetError:
                    continue
            await finish(s, execution_id, agents)
            row = await s.execution(execution_id)
            assert row["tasks_completed"] == row["tasks_total"] or row["status"] != "COMPLETED"

    virtual(go())
