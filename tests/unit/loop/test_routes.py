"""Every route through the loop, with scripted answers."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from tests.unit.loop.scripted import ScriptedModel, did, failed, judged, planned, state

from tercet.domain.errors import AgentFailed, CostLimitReached, InvalidSettings, StaleClaim
from tercet.domain.tool import ToolFailed
from tercet.loop import route_after_executor
from tercet.loop.driving import drive
from tercet.loop.graph import build_graph
from tercet.loop.state import AgentState


async def run(model: ScriptedModel, **fields: Any) -> AgentState:
    return await drive(state(**fields), model)


async def test_the_plan_is_worked_through_and_its_last_continue_finishes():
    model = ScriptedModel(planner=[planned("a", "b")])
    end = await run(model)

    assert (end["reason"], end["iters"], end["current_step"]) == ("finished", 2, 1)
    assert model.calls == ["planner", "executor", "reviewer", "executor", "reviewer"]


async def test_finish_ends_before_the_plan_does():
    end = await run(ScriptedModel(planner=[planned("a", "b")], reviewer=[judged("finish")]))

    assert (end["reason"], end["iters"]) == ("finished", 1)


async def test_a_failure_goes_straight_to_the_planner_which_is_told_of_it():
    model = ScriptedModel(
        planner=[planned("a"), planned("b")], executor=[failed("pytest: command not found"), did()]
    )
    end = await run(model)

    assert model.calls == ["planner", "executor", "planner", "executor", "reviewer"]
    assert "pytest: command not found" in model.prompts[2]
    assert "1. a (failed): pytest: command not found" in model.prompts[2]
    assert (end["reason"], end["iters"]) == ("finished", 2)


async def test_retry_does_the_same_step_again_with_the_feedback():
    model = ScriptedModel(
        planner=[planned("a")], reviewer=[judged("retry", "look again"), judged("continue")]
    )
    end = await run(model)

    assert model.calls == ["planner", "executor", "reviewer", "executor", "reviewer"]
    assert "look again" in model.prompts[3]
    assert (end["reason"], end["iters"], end["feedback"]) == ("finished", 2, "")


async def test_replan_asks_for_another_plan_with_the_reviewers_reason():
    model = ScriptedModel(
        planner=[planned("a"), planned("b")], reviewer=[judged("replan", "wrong way"), judged("continue")]
    )
    end = await run(model)

    assert model.calls == ["planner", "executor", "reviewer", "planner", "executor", "reviewer"]
    assert "wrong way" in model.prompts[3]
    assert end["reason"] == "finished"


async def test_the_same_plan_twice_ends_the_loop_with_a_reason():
    model = ScriptedModel(planner=[planned("a", "b"), planned("A ", "b")], executor=[failed()])
    end = await run(model)

    assert (end["reason"], end["iters"]) == ("same_plan", 1)
    assert model.calls == ["planner", "executor", "planner"]


async def test_an_earlier_plan_that_comes_back_ends_the_loop_too():
    model = ScriptedModel(planner=[planned("a"), planned("b"), planned("a")], executor=[failed()])

    assert (await run(model))["reason"] == "same_plan"


async def test_a_failing_executor_ends_at_the_cap():
    model = ScriptedModel(planner=[planned(f"plan {n}") for n in range(99)], executor=[failed()])
    end = await run(model, max_iters=3)

    assert (end["reason"], end["iters"]) == ("max_iters", 3)
    assert model.calls.count("planner") == 3


@pytest.mark.parametrize("verdict", ["retry", "replan", "continue"])
async def test_a_reviewer_who_never_finishes_ends_at_the_cap(verdict: str):
    planner = [planned(*(f"{n}.{i}" for i in range(20))) for n in range(99)]
    end = await run(ScriptedModel(planner=planner, reviewer=[judged(verdict)]), max_iters=4)

    assert (end["reason"], end["iters"]) == ("max_iters", 4)


async def test_the_last_turn_may_still_finish():
    end = await run(ScriptedModel(planner=[planned("a", "b")]), max_iters=2)

    assert end["reason"] == "finished"


async def test_a_plan_that_cannot_be_read_is_the_goal_as_one_step():
    model = ScriptedModel(planner=["I would just do it."])
    end = await run(model, goal="Make tea")

    assert [step["step"] for step in end["plan"]] == ["Make tea"]
    assert end["reason"] == "finished"


async def test_a_review_that_cannot_be_read_is_a_retry():
    model = ScriptedModel(reviewer=["looks good", judged("finish")])
    end = await run(model)

    assert (end["iters"], end["reason"]) == (2, "finished")


@pytest.mark.parametrize("answer", ["", "did it", '{"success": "yes", "output": "x"}', '{"success": true}'])
async def test_an_executors_answer_that_cannot_be_read_is_a_failure(answer: str):
    model = ScriptedModel(planner=[planned("a"), planned("b")], executor=[answer, did()])
    await run(model)

    assert model.calls == ["planner", "executor", "planner", "executor", "reviewer"]


@pytest.mark.parametrize(
    "error", [ToolFailed("disk full"), AgentFailed("no answer within 20 turns"), RuntimeError("boom"), TimeoutError("slow")]
)  # fmt: skip
async def test_an_exception_of_a_tool_is_a_failure(error: Exception):
    model = ScriptedModel(planner=[planned("a"), planned("b")], executor=[error, did()])
    await run(model)

    assert model.calls[:3] == ["planner", "executor", "planner"]
    assert str(error) in model.prompts[2]


async def test_a_lost_claim_is_no_failure_of_the_step():
    with pytest.raises(StaleClaim):
        await run(ScriptedModel(executor=[StaleClaim("lost")]))


async def test_an_outcome_that_is_no_text_is_taken_as_it_is():
    end = await run(ScriptedModel(executor=[{"success": True, "output": "Ada did it"}]))

    assert end["executor_output"] == {"success": True, "output": "Ada did it"}


@pytest.mark.parametrize("role", ["planner", "executor", "reviewer"])
async def test_a_spent_budget_ends_the_loop_in_any_role(role: str):
    spent: Any = {role: [CostLimitReached("the budget of $1 is spent")]}
    model = ScriptedModel(**spent)
    if role != "executor":
        model.ask = _raising(model, role)  # type: ignore[method-assign]
    end = await run(model)

    assert (end["reason"], end["message"]) == ("budget", "the budget of $1 is spent")


def _raising(model: ScriptedModel, role: str) -> Any:
    ask = model.ask

    async def raising(asked: Any, prompt: str) -> str:
        if asked == role:
            raise CostLimitReached("the budget of $1 is spent")
        return await ask(asked, prompt)

    return raising


async def test_the_deadline_ends_the_loop_between_two_turns():
    model = ScriptedModel(planner=[planned("a", "b", "c")], ms_a_call=1_000)
    end = await run(model, deadline_at_ms=4_500)

    assert (end["reason"], end["iters"]) == ("deadline", 2)


async def test_the_deadline_ends_a_turn_that_lasts_too_long():
    class Slow(ScriptedModel):
        async def act(self, step: Any, prompt: str) -> Any:
            import asyncio

            await asyncio.sleep(30)

    end = await run(Slow(), deadline_at_ms=1_050)

    assert (end["reason"], end["message"]) == ("deadline", "the deadline passed during a turn")


def test_route_after_executor_follows_the_spec():
    assert route_after_executor(state(executor_output={"success": False, "output": ""})) == "planner"
    assert route_after_executor(state(executor_output={"success": True, "output": ""})) == "reviewer"
    assert route_after_executor(state(reason="max_iters")) == "__end__"


def test_the_graph_says_what_to_install_where_langgraph_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "langgraph.graph", None)

    with pytest.raises(InvalidSettings, match=r"pip install 'tercet\[langgraph\]'"):
        build_graph(ScriptedModel())
