"""No script exceeds the cap, whatever the models say."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.loop.scripted import ScriptedModel, did, failed, judged, planned, state

from tercet.domain.errors import CostLimitReached
from tercet.loop.driving import drive
from tercet.loop.routing import END
from tercet.loop.standing import Standing, folded
from tercet.loop.state import AgentState

_WORDS = st.sampled_from(["a", "b", "c", "d"])
_PLANS = st.lists(_WORDS, min_size=1, max_size=4).map(lambda steps: planned(*steps))
_PLANNER = st.lists(_PLANS | st.text(max_size=20) | st.just('{"plan": 1}'), min_size=1, max_size=12)
_OUTCOMES = st.sampled_from([did(), failed(), "", "prose", '{"success": 1, "output": ""}'])
_RAISED = st.sampled_from([RuntimeError("boom"), TimeoutError("slow"), CostLimitReached("spent")])
_EXECUTOR = st.lists(_OUTCOMES | st.text(max_size=20) | _RAISED, min_size=1, max_size=12)
_VERDICTS = st.sampled_from(["continue", "retry", "replan", "finish"]).map(judged)
_REVIEWER = st.lists(_VERDICTS | st.text(max_size=20), min_size=1, max_size=12)


@given(_PLANNER, _EXECUTOR, _REVIEWER, st.integers(1, 8), st.integers(1, 40) | st.none())
def test_no_script_exceeds_the_cap_and_every_one_ends_with_a_reason(
    planner: list[str], executor: list[str], reviewer: list[str], max_iters: int, deadline_calls: int | None
):
    model = ScriptedModel(planner, executor, reviewer, clock_ms=0, ms_a_call=1)
    nodes: list[str] = []

    def hear(node: str, at: AgentState) -> None:
        nodes.append(node)
        assert at["iters"] <= max_iters

    end = asyncio.run(drive(state(max_iters=max_iters, deadline_at_ms=deadline_calls), model, on_turn=hear))

    assert end["reason"] is not None
    assert end["message"]
    assert nodes.count("executor") <= max_iters
    assert nodes.count("reviewer") <= max_iters
    assert nodes.count("planner") <= max_iters + 1
    assert deadline_calls is None or len(model.calls) <= deadline_calls


@given(_PLANNER, _EXECUTOR, _REVIEWER)
def test_folding_the_recorded_turns_gives_every_state_again(
    planner: list[str], executor: list[str], reviewer: list[str]
):
    from tercet.domain.codec import from_json, to_json
    from tercet.loop.nodes import NODES

    async def recorded() -> tuple[dict[str, str], Standing]:
        at, steps = Standing(state=state(max_iters=5), node="planner"), {}
        while at.node != END:
            update = await NODES[at.node](at.state, model)
            if at.node != "advance":
                steps[at.next_turn] = to_json(update)
            at = at.after(from_json(to_json(update)))
        return steps, at

    model = ScriptedModel(planner, executor, reviewer)
    steps, end = asyncio.run(recorded())
    begin = Standing(state=state(max_iters=5), node="planner")

    assert folded(begin, steps) == end
    for turn in range(end.turn + 1):
        assert folded(begin, steps, until_turn=turn).turn == turn
