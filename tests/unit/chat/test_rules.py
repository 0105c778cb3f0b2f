"""The rule-based decider: what a message asks for, told without a model."""

from __future__ import annotations

from typing import Any

import pytest

from tercet.chat.library import SHIPPED, load_library
from tercet.chat.rules import decide_by_rules

LIBRARY = load_library(SHIPPED)


def decide(message: str, pending: Any = None) -> Any:
    return decide_by_rules(message, library=LIBRARY, pending=pending)


@pytest.mark.parametrize(
    ("message", "variables"),
    [
        (
            "Generate a supplier contract template for ACME Ltd in Denmark",
            {"supplier_name": "ACME Ltd", "jurisdiction": "Denmark"},
        ),
        (
            "I need a Supplier Agreement with Müller & Søn A/S under the law of Germany.",
            {"supplier_name": "Müller & Søn A/S", "jurisdiction": "Germany"},
        ),
        (
            "supplier contract\nsupplier name: ACME Ltd\njurisdiction = Denmark\npayment days: 45",
            {"supplier_name": "ACME Ltd", "jurisdiction": "Denmark", "payment_days": "45"},
        ),
        ("Please draft a supplier contract for our new supplier in 2027", {}),
        (
            "Write a supplier contract in Österreich from 2027-01-01",
            {"jurisdiction": "Österreich", "start_date": "2027-01-01"},
        ),
    ],
)
def test_a_message_that_names_a_template_fills_in_what_it_says(message, variables):
    suggestion = decide(message)

    assert suggestion.executor_type == "template_engine"
    assert suggestion.task.template == "supplier-contract"
    assert suggestion.task.input_variables == variables


def test_a_short_answer_is_the_one_variable_that_is_missing():
    pending = {"template": "supplier-contract", "variables": {"supplier_name": "ACME Ltd"}}

    assert decide("Denmark.", pending).task.input_variables == {
        "supplier_name": "ACME Ltd", "jurisdiction": "Denmark",
    }  # fmt: skip


def test_a_question_in_the_place_of_an_answer_is_answered_as_a_question():
    pending = {"template": "supplier-contract", "variables": {"supplier_name": "ACME Ltd"}}

    assert decide("Which countries are possible?", pending).executor_type == "llm"


def test_a_question_about_a_document_is_not_a_wish_for_a_template():
    assert decide("What does our supplier contract say about payment?").executor_type == "llm"
    assert decide("Supplier contract please").executor_type == "template_engine"


def test_a_question_can_be_called_off():
    pending = {"template": "supplier-contract", "variables": {}}

    assert decide("Never mind", pending).action == "respond"


def test_everything_else_is_for_the_model():
    suggestion = decide("What is the capital of Denmark?")

    assert (suggestion.executor_type, suggestion.task.prompt) == ("llm", "What is the capital of Denmark?")


def test_a_command_calls_a_tool_with_its_arguments():
    suggestion = decide('/tool calculator {"operation": "add"}')

    assert (suggestion.task.tool, suggestion.task.arguments) == ("calculator", {"operation": "add"})


@pytest.mark.parametrize("message", ["/tool", "/help", "/unknown thing"])
def test_a_command_that_is_none_is_explained(message):
    assert decide(message).action == "respond"


@pytest.mark.parametrize("message", ["/tool calculator {", "/tool calculator [1]", "/tool calculator 7"])
def test_arguments_that_are_no_object_lead_to_a_question(message):
    assert decide(message).action == "clarify"


def test_a_long_message_is_decided_quickly():
    message = "for with in under " * 5_000 + "supplier contract"

    assert decide(message[:100_000]).action == "execute"
