"""The policy: what a suggestion leads to, without a store or a model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.chat.decision import Suggestion
from tercet.chat.library import SHIPPED, load_library
from tercet.chat.policy import Limits, judge, tighten
from tercet.domain.contract import Constraints
from tercet.tools.base import ToolBase

LIBRARY = load_library(SHIPPED)
LIMITS = Limits(max_tokens=1_000, timeout_ms=10_000, models=("sonnet", "haiku"))


class PolicyTool(ToolBase):
    """A tool that is only looked at."""

    def __init__(self, name: str, **rest: Any) -> None:
        super().__init__(name=name, description="", input_schema={"type": "object"}, **rest)


TOOLS = {
    tool.name: tool
    for tool in (
        PolicyTool("look", side_effects=False),
        PolicyTool("send"),
        PolicyTool("ask_first", side_effects=False, requires_approval=True),
    )
}


def verdict_on(kind: str, *, confidence: float = 1.0, pending: Any = None, **task: Any) -> Any:
    """Judge an execution of this kind."""
    wanted = {"action": "execute", "executor_type": kind, "task": task, "confidence": confidence}
    return judge(
        Suggestion.model_validate(wanted), limits=LIMITS, library=LIBRARY, tools=TOOLS, pending=pending
    )


@pytest.mark.parametrize(
    ("tool", "confidence", "verdict"),
    [
        ("look", 1.0, "approve"),
        ("look", 0.2, "ask"),
        ("send", 1.0, "ask"),
        ("ask_first", 1.0, "ask"),
        ("missing", 1.0, "refuse"),
    ],
)
def test_a_tool_is_judged_by_what_it_does_to_the_world(tool, confidence, verdict):
    assert verdict_on("tool_call", tool=tool, confidence=confidence).verdict == verdict


class HalfHarmless(PolicyTool):
    """Changes nothing with these arguments, and could with others."""

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        return bool(arguments)


@pytest.mark.parametrize(("source", "verdict"), [("model", "ask"), ("rules", "approve")])
def test_a_harmless_call_of_a_tool_with_side_effects_is_asked_about_when_a_model_wants_it(source, verdict):
    wanted = {"action": "execute", "executor_type": "tool_call", "task": {"tool": "http"}, "source": source}
    tools = {"http": HalfHarmless("http")}
    judged = judge(Suggestion.model_validate(wanted), limits=LIMITS, library=LIBRARY, tools=tools)

    assert judged.verdict == verdict


def test_an_executor_that_is_not_allowed_is_refused():
    assert verdict_on("document_processor").verdict == "refuse"
    assert verdict_on("shell").verdict == "refuse"


def test_a_template_without_its_variables_leads_to_a_question_that_keeps_what_is_known():
    verdict = verdict_on(
        "template_engine", template="supplier-contract", input_variables={"supplier_name": "ACME"}
    )

    assert verdict.verdict == "clarify"
    assert verdict.pending == {"template": "supplier-contract", "variables": {"supplier_name": "ACME"}}


def test_a_template_takes_what_an_earlier_question_knows():
    pending = {"template": "supplier-contract", "variables": {"supplier_name": "ACME"}}
    verdict = verdict_on(
        "template_engine",
        pending=pending,
        template="supplier-contract",
        input_variables={"jurisdiction": "Denmark"},
    )

    assert verdict.verdict == "approve"
    assert verdict.task["input_variables"]["supplier_name"] == "ACME"


def test_a_variable_that_the_template_does_not_declare_stays_behind():
    given_variables = {"supplier_name": "A", "jurisdiction": "B", "evil": "{{ 7 * 7 }}"}
    verdict = verdict_on("template_engine", template="supplier-contract", input_variables=given_variables)

    assert "evil" not in verdict.task["input_variables"]


def test_a_template_that_is_not_in_the_library_is_refused_whatever_its_text():
    assert verdict_on("template_engine", template="{{ cycler.__init__ }}").verdict == "refuse"


def test_a_classifier_without_two_labels_leads_to_a_question():
    assert verdict_on("classifier", labels=["a", "a"], text="x").verdict == "clarify"
    assert verdict_on("classifier", labels=["a", "b"], text="x").verdict == "approve"


def test_a_constraint_that_is_too_wide_makes_it_a_change_with_its_reason():
    wanted = {"action": "execute", "executor_type": "llm", "constraints": {"max_tokens": 50_000}}
    verdict = judge(Suggestion.model_validate(wanted), limits=LIMITS, library=LIBRARY, tools=TOOLS)

    assert verdict.verdict == "change"
    assert verdict.constraints.max_tokens == 1_000
    assert verdict.reasons == ["max_tokens lowered from 50,000 to 1,000"]


def test_models_of_which_none_is_allowed_are_refused():
    wanted = {"action": "execute", "executor_type": "llm", "constraints": {"allowed_models": ["opus"]}}
    verdict = judge(Suggestion.model_validate(wanted), limits=LIMITS, library=LIBRARY, tools=TOOLS)

    assert verdict.verdict == "refuse"


def test_an_allowed_model_may_be_named_by_its_line_or_by_its_id():
    constraints, changes = tighten(Constraints(allowed_models=["claude-sonnet-5-5"]), LIMITS)

    assert constraints.allowed_models == ["claude-sonnet-5-5"]
    assert changes == []


@given(
    max_tokens=st.none() | st.integers(1, 10**9),
    timeout_ms=st.none() | st.integers(1, 86_400_000),
    models=st.lists(st.sampled_from(["sonnet", "haiku", "opus", "gpt-4.1"]), max_size=4),
    cost=st.none() | st.decimals(0, 10, places=2),
)
def test_constraints_only_get_tighter_whatever_is_suggested(max_tokens, timeout_ms, models, cost):
    wanted = Constraints(
        max_tokens=max_tokens, timeout_ms=timeout_ms, allowed_models=models, max_cost_usd=cost
    )
    got, _ = tighten(wanted, LIMITS)

    assert got.max_tokens is not None
    assert got.timeout_ms is not None
    assert got.max_tokens <= min(LIMITS.max_tokens, max_tokens or LIMITS.max_tokens)
    assert got.timeout_ms <= min(LIMITS.timeout_ms, timeout_ms or LIMITS.timeout_ms)
    assert set(got.allowed_models) <= set(LIMITS.models)
    assert not models or set(got.allowed_models) <= set(models)
    assert got.max_cost_usd == cost
