"""Where a loop stands: its state, the node that comes next, how many turns there were. Folded from recorded turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import from_json
from tercet.loop.config import LoopConfig
from tercet.loop.driving import FIRST_NODE
from tercet.loop.nodes import Update, advance
from tercet.loop.routing import END, ROUTES
from tercet.loop.state import AgentState, first_state, merge


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Between two nodes."""

    state: AgentState
    node: str
    turn: int = 0

    @property
    def next_turn(self) -> str:
        """The name of the turn that comes next, as it is recorded."""
        return f"{self.turn + 1}:{self.node}"

    @property
    def cap_step(self) -> str:
        """The name of the step that asks a person for more turns."""
        return f"{self.turn}:cap"

    @property
    def is_capped(self) -> bool:
        """Whether the cap is what ended the loop."""
        return self.state["reason"] == "max_iters"

    def beyond_cap(self, decision: Mapping[str, Any], more_iters: int) -> Standing:
        """Return where the loop goes on when a person has allowed more turns; the same place when not."""
        if decision.get("decision") != "approve":
            return self
        max_iters = self.state["max_iters"] + more_iters
        state = merge(self.state, {"reason": None, "message": "", "max_iters": max_iters})
        output = state["executor_output"]
        failed = output is not None and not output["success"]
        return Standing(state=state, node="planner" if failed else "advance", turn=self.turn)

    def after(self, update: Update) -> Standing:
        """Return where the loop stands after the node's update. Carrying out a verdict is no turn."""
        state = merge(self.state, update)
        turn = self.turn + (self.node != "advance")
        return Standing(state=state, node=ROUTES[self.node](state), turn=turn)

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"state": self.state, "node": self.node, "turn": self.turn}


def beginning(data: Mapping[str, Any], created_at_ms: int) -> Standing:
    """Return the start that a root event's data describe: a new loop, or where a fork goes on."""
    config = LoopConfig.model_validate(data["loop"])
    deadline_at_ms = None
    if config.deadline_seconds is not None:
        deadline_at_ms = created_at_ms + int(config.deadline_seconds * 1000)
    fork = data.get("from")
    if fork is None:
        state = first_state(
            config.goal,
            max_iters=config.max_iters,
            executors=config.executors,
            deadline_at_ms=deadline_at_ms,
        )
        return Standing(state=state, node=FIRST_NODE)
    limits = {"max_iters": config.max_iters, "deadline_at_ms": deadline_at_ms, "reason": None, "message": ""}
    return Standing(state=merge(fork["state"], limits), node=fork["node"], turn=fork["turn"])


def folded(
    at: Standing, steps: Mapping[str, str], *, until_turn: int | None = None, more_iters: int = 0
) -> Standing:
    """Return where the recorded turns lead, at most to `until_turn`. A person may have allowed `more_iters`."""
    while True:
        if at.node == END:
            decided = steps.get(at.cap_step) if at.is_capped and at.turn != until_turn else None
            beyond = at if decided is None else at.beyond_cap(from_json(decided), more_iters)
            if beyond is at:
                return at
            at = beyond
        elif at.node == "advance":
            at = at.after(advance(at.state))
        elif (recorded := steps.get(at.next_turn)) is None or at.turn == until_turn:
            return at
        else:
            at = at.after(from_json(recorded))
