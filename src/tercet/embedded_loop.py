"""`tercet.loop.run`: a loop in this process, without a server. Every turn is durable in the data folder."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tercet.domain.errors import AgentFailed, InvalidInput
from tercet.domain.running import run_sync
from tercet.domain.status import EXECUTION_ENDED
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.loop.config import DEFAULT_MAX_ITERS, LoopConfig
from tercet.loop.state import AgentState
from tercet.settings import Settings
from tercet.store.listing import get_execution
from tercet.wiring import Tercet, open_tercet

_SOURCE = "tercet.loop"


def run(goal: str, max_iters: int = DEFAULT_MAX_ITERS, **options: Any) -> Any:
    """Work towards a goal; return the final AgentState, whose `reason` says why it ended.

    Outside an event loop it returns the state, inside a running one a coroutine for it. `options` are those of
    `arun`. Raises what `arun` raises.
    """
    return run_sync(arun(goal, max_iters, **options))


async def arun(
    goal: str,
    max_iters: int = DEFAULT_MAX_ITERS,
    *,
    workspace: Path | str | None = None,
    data_dir: Path | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> AgentState:
    """Work towards a goal; see `run`. `options` are further fields of LoopConfig, such as `budget_usd` and `tools`.

    With `data_dir` the execution stays there, and a person's decision or a later process lets it go on; without it
    a folder is made and removed. Raises InvalidInput, and AgentFailed when no model could be asked.
    """
    config = read_config({**options, "goal": goal, "max_iters": max_iters}, workspace=workspace)
    holder = tempfile.TemporaryDirectory(prefix="tercet-loop-") if data_dir is None else nullcontext(data_dir)
    with holder as folder:
        given = settings or Settings()
        async with open_tercet(given.model_copy(update={"data_dir": Path(folder)})) as node:
            execution_id = await node.loops.start(config, owner_id=DEFAULT_OWNER, source=_SOURCE)
            return await finished(node, execution_id)


async def finished(node: Tercet, execution_id: str) -> AgentState:
    """Wait until a loop ends or rests; return its state. Raises AgentFailed when it failed."""
    status = await node.runs.wait(execution_id)
    if status not in EXECUTION_ENDED:
        # A person has to decide, or somebody has paused it: the state says how far it is.
        return (await node.loops.standing(execution_id, owner_id=DEFAULT_OWNER)).state
    outcome = await node.runs.outcome(execution_id)
    state: AgentState | None = outcome["output"]
    if state is None:
        row = await node.reader.read(get_execution, owner_id=DEFAULT_OWNER, execution_id=execution_id)
        assert row is not None
        raise AgentFailed(f"the loop is {status}: {row['status_message']}")
    return state


def read_config(fields: dict[str, Any], *, workspace: Path | str | None) -> LoopConfig:
    """Return the configuration. Raises InvalidInput naming the first field that is wrong."""
    folder = None if workspace is None else Path(workspace).resolve()
    if folder is not None and not folder.is_dir():
        raise InvalidInput(f"the workspace {str(folder)!r} is no folder", hint="make it first")
    try:
        return LoopConfig.model_validate({**fields, "workspace": None if folder is None else str(folder)})
    except ValidationError as error:
        detail = [{"field": ".".join(map(str, e["loc"])), "rule": e["msg"]} for e in error.errors()]
        raise InvalidInput(f"{detail[0]['field']}: {detail[0]['rule']}", detail=detail) from error
