"""The live view of a loop: plan, step at hand, verdicts, cost."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tercet.cli.output import dollars
from tercet.cli.session import Counts
from tercet.loop.definition import TURN_FEED
from tercet.loop.state import AgentState, Attempt

_LONGEST_LINE = 100
_VERDICT_STYLES = {"continue": "green", "finish": "green", "retry": "yellow", "replan": "magenta"}
_WORKING = "planning …"


class LoopView:
    """Renders the state as it is at the moment; Rich asks for it several times a second."""

    def __init__(self, counts: Counts, note: str | None) -> None:
        self.state: AgentState | None = None
        self._counts = counts
        self._note = note
        self._doing = _WORKING

    def hear(self, event: dict[str, Any]) -> None:
        """Take in what the run's feed tells."""
        data = event["data"]
        if event["type"] == TURN_FEED:
            self.state = data["state"]
            self._doing = ""
        elif event["type"] == "task.tool_use":
            self._doing = f"{data['tool']} {data['arguments']}"
        elif event["type"] == "task.progress":
            self._doing = (self._doing + data["text"])[-_LONGEST_LINE:]

    def __rich__(self) -> RenderableType:
        state = self.state
        if state is None:
            return Text(_WORKING, style="dim")
        spent = f"{self._counts.tokens:,} tokens   {dollars(self._counts.cost_picousd)}"
        parts: list[RenderableType] = [Text(_cut(state["goal"]), style="bold"), *_plan(state)]
        parts += [_attempt(attempt) for attempt in state["attempts"][-5:]]
        if self._doing:
            parts.append(Text(_cut(self._doing), style="dim italic"))
        parts.append(Text(f"turn {state['iters']} of {state['max_iters']}   {spent}", style="dim"))
        if self._note:
            parts.append(Text(self._note, style="yellow"))
        return Group(*parts)


def turn_line(data: dict[str, Any]) -> str:
    """Return a turn as one line, for a terminal that is none."""
    number, _, node = data["turn"].partition(":")
    state: AgentState = data["state"]
    told = {
        "planner": "; ".join(step["step"] for step in state["plan"]),
        "reviewer": f"{state['verdict']} {state['feedback']}",
    }.get(node)
    output = state["executor_output"]
    if told is None and output is not None:
        told = f"{'done' if output['success'] else 'failed'}: {output['output']}"
    # Square brackets are words here, not Rich's markup.
    return f"{number:>3} {node:<9} {_cut(told or '')}".replace("[", r"\[")


def _plan(state: AgentState) -> list[Text]:
    lines = []
    for index, step in enumerate(state["plan"]):
        done = index < state["current_step"] or state["reason"] == "finished"
        mark, style = ("✓", "green") if done else ("·", "dim")
        if index == state["current_step"] and not done:
            mark, style = "▶", "bold cyan"
        who = "" if step["executor"] == "agent" else f"  ({step['executor']})"
        lines.append(Text(f" {mark} {_cut(step['step'])}{who}", style=style))
    return lines


def _attempt(attempt: Attempt) -> Text:
    verdict = attempt["verdict"] or ("" if attempt["success"] else "failed")
    text = Text(f"   {verdict:<9}", style=_VERDICT_STYLES.get(verdict, "red"))
    return text.append(_cut(attempt["output"]), style="dim")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
