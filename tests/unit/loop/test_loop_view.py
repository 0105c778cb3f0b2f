"""What the terminal shows of a loop."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from tests.unit.loop.scripted import state

from tercet.cli.loop_view import LoopView, turn_line
from tercet.cli.session import Counts
from tercet.loop.state import PlanStep


def plan(*steps: str) -> list[PlanStep]:
    return [PlanStep(step=step, executor="human" if "ask" in step else "agent", options={}) for step in steps]


def shown(view: LoopView) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(view)
    return console.export_text()


def test_the_view_shows_plan_step_at_hand_verdicts_and_cost():
    counts = Counts(cost_picousd=1_500_000_000, tokens=1_234)
    view = LoopView(counts, "the mock answers")
    attempt = {"step": "buy", "success": True, "output": "bought", "verdict": "continue"}
    failure = {"step": "ask Ada", "success": False, "output": "she said no", "verdict": None}
    now = state(
        goal="Bake a cake", plan=plan("buy", "ask Ada", "bake"), current_step=1, iters=2, attempts=[attempt, failure]
    )  # fmt: skip
    view.hear({"type": "loop.turn", "data": {"turn": "4:executor", "state": now}})
    view.hear({"type": "task.tool_use", "data": {"tool": "Read", "arguments": {"file_path": "a.txt"}}})

    text = shown(view)

    assert "✓ buy" in text
    assert "▶ ask Ada  (human)" in text
    assert "· bake" in text
    assert "continue bought" in text
    assert "failed   she said no" in text
    assert "Read {'file_path': 'a.txt'}" in text
    assert "turn 2 of 10   1,234 tokens   $0.001500" in text
    assert "the mock answers" in text


def test_the_view_says_that_it_plans_before_anything_is_known():
    assert "planning" in shown(LoopView(Counts(), None))


def test_a_line_tells_a_turn_without_taking_brackets_for_markup():
    now = state(plan=plan("buy [milk]"), verdict="retry", feedback="look again")

    assert turn_line({"turn": "1:planner", "state": now}) == r"  1 planner   buy \[milk]"
    assert turn_line({"turn": "3:reviewer", "state": now}) == "  3 reviewer  retry look again"
