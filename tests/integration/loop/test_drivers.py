"""The durable driver and LangGraph go through the same states, script by script."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from tests.integration.loop.opened import end
from tests.unit.loop.scripted import SCRIPTS, ScriptedModel, state

from tercet.agent.feed import RunFeed
from tercet.loop.agent_turns import AgentTurns
from tercet.loop.config import LoopConfig
from tercet.loop.definition import LoopDefinition, LoopServices, definition_key
from tercet.loop.graph import build_graph, recursion_limit
from tercet.loop.state import AgentState, ExecutorOutput
from tercet.loop.step_executors import StepExecutors, StepTurn
from tercet.settings import Settings
from tercet.wiring import Tercet, open_tercet

pytest.importorskip("langgraph", reason="LANGGRAPH IS NOT INSTALLED: pip install 'tercet[langgraph]'")

GOAL, MAX_ITERS = "Reach it", 6


class ScriptedTurns:
    """What AgentTurns does, from a script."""

    def __init__(self, model: ScriptedModel, feed: RunFeed) -> None:
        self.services = self
        self.feed = feed
        self._model = model

    async def ask(self, context: Any, config: Any, role: Any, prompt: str, prefix: str) -> str:
        return await self._model.ask(role, prompt)

    async def act(self, turn: StepTurn) -> str | ExecutorOutput:
        return await self._model.act(turn.step, turn.prompt)


async def durable_states(node: Tercet, model: ScriptedModel) -> list[AgentState]:
    config = LoopConfig(goal=GOAL, max_iters=MAX_ITERS, tools=[])
    turns = ScriptedTurns(model, node.loops.feed)
    services = LoopServices(
        turns=cast(AgentTurns, turns), executors=StepExecutors(by_kind={"agent": turns.act})
    )
    key = definition_key(config)
    node.engine.replace_definition(key, LoopDefinition(key, services))
    execution_id = node.engine.mint.mint("exe")
    with node.loops.feed.watch(execution_id) as queue:
        await node.loops.start(config, owner_id="local", source="test", execution_id=execution_id)
        final = await end(node, execution_id)
        told = [queue.get_nowait() for _ in range(queue.qsize())]
    return [event["data"]["state"] for event in told if event["type"] == "loop.turn"] + [final]


async def graph_states(model: ScriptedModel) -> list[AgentState]:
    begin = state(GOAL, max_iters=MAX_ITERS)
    states: list[AgentState] = []
    node, last = "", begin
    streamed: Any = build_graph(model).astream(
        begin, {"recursion_limit": recursion_limit(MAX_ITERS)}, stream_mode=["updates", "values"]
    )
    async for mode, part in streamed:
        if mode == "updates":
            [node] = part
        elif node:
            last = part
            states += [] if node == "advance" else [part]
    return [*states, last]


async def test_both_drivers_go_through_the_same_states_on_every_script(tmp_path: Path):
    async with open_tercet(Settings(_env_file=None, data_dir=tmp_path)) as node:
        for name, script in SCRIPTS.items():
            if "deadline" in name:
                continue  # the engine's clock is not the script's
            ours, theirs = ScriptedModel(**script), ScriptedModel(**script)

            assert await durable_states(node, ours) == await graph_states(theirs), name
            assert ours.prompts == theirs.prompts, name
