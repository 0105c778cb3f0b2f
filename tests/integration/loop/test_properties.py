"""Over the real engine: no script exceeds the cap or the budget, and none leaves a running execution."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send

from tercet.domain.prices import from_pico
from tercet.loop.config import LoopConfig
from tercet.settings import Settings
from tercet.store.ledger import summarize
from tercet.testing.mock_claude import Script, create_app
from tercet.testing.mock_claude.server import ThreadedServer
from tercet.wiring import Tercet, open_tercet

_PLANS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3).map(lambda steps: {"plan": steps})
_PLANNER = st.lists(_PLANS | st.just({"nothing": 1}), min_size=1, max_size=6)
_OUTCOMES = st.sampled_from(
    [
        {"success": True, "output": "x"},
        {"success": False, "output": "y"},
        {"success": 1},
        {"tool": "calculator"},
        {"tool": "no_such_tool"},
    ]
)
_REVIEWER = st.sampled_from([{"verdict": v} for v in ("continue", "retry", "replan", "finish", "?")])


class Swapped:
    """Serves what the example at hand has scripted."""

    app: ASGIApp = create_app()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


def rules(who: str, answers: list[Any]) -> list[dict[str, Any]]:
    match = {"system_contains": f"You are the {who} of a loop"}
    return [
        {
            "match": match,
            "times": 1,
            "reply": {"tool_use": {"name": answer["tool"], "input": {"operation": "add", "a": 1, "b": 2}}}
            if "tool" in answer
            else {"json": answer},
        }
        for answer in answers
    ]


def test_no_script_exceeds_cap_and_budget_or_leaves_a_running_execution(tmp_path: Path):
    swapped = Swapped()
    with ThreadedServer(swapped, name="swapped") as server, asyncio.Runner() as runner:
        given_settings = Settings(
            _env_file=None,
            data_dir=tmp_path,
            anthropic_api_key=SecretStr("k"),
            anthropic_base_url=server.base_url,
        )
        opened = open_tercet(given_settings)
        node = runner.run(opened.__aenter__())

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(
            _PLANNER, st.lists(_OUTCOMES, min_size=1, max_size=6), st.lists(_REVIEWER, min_size=1, max_size=6),
            st.integers(1, 4), st.sampled_from(["0.02", "0.045", "0.05", "5"]),
        )  # fmt: skip
        def holds(planner: Any, executor: Any, reviewer: Any, max_iters: int, budget_usd: str) -> None:
            script = [*rules("planner", planner), *rules("executor", executor), *rules("reviewer", reviewer)]
            swapped.app = create_app(Script.model_validate({"rules": script}))
            config = LoopConfig(
                goal="Reach it",
                max_iters=max_iters,
                budget_usd=Decimal(budget_usd),
                tools=["calculator"],
                max_tokens=4_096,
            )
            runner.run(check(node, config))

        try:
            holds()
        finally:
            runner.run(opened.__aexit__(None, None, None))


async def check(node: Tercet, config: LoopConfig) -> None:
    execution_id = await node.loops.start(config, owner_id="local", source="test")
    status = await node.runs.wait(execution_id)
    state = (await node.runs.outcome(execution_id))["output"]
    await node.engine.wait_idle()
    [spent] = await node.reader.read(
        summarize, owner_id="local", group_by="execution", execution_id=execution_id
    ) or [{"cost_picousd": 0, "reserved_picousd": 0}]

    assert status == "COMPLETED"
    assert state["reason"] is not None
    assert state["iters"] <= config.max_iters
    assert config.budget_usd is not None
    assert from_pico(spent["cost_picousd"]) <= config.budget_usd
    assert spent["reserved_picousd"] == 0
    assert node.engine.states.get(execution_id) is None
