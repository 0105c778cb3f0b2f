"""CEL conditions and keys."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.manifest.condition import EvaluationFailed, Expression, compile_expression

EVENT = {"name": "lead.scored", "data": {"score": 7, "lead": {"id": "L1"}, "tags": ["a", "b"]}}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("data.score > 5", True),
        ("data.score > 5 && event.name == 'lead.scored'", True),
        ("data.missing == 1", False),
        ("data.tags.exists(t, t == 'b')", True),
        ("'a' in data.tags", True),
        ("output.success", True),
        ("data.score", False),
    ],
)
def test_a_condition_holds_only_when_it_is_true(text, holds):
    assert compile_expression(text).holds(EVENT, {"success": True}) is holds


@pytest.mark.parametrize(
    ("text", "key"),
    [("lead.id", "L1"), ("data.lead.id", "L1"), ("score", "7"), ("data.lead.id + '!'", "L1!")],
)
def test_a_bare_path_is_a_field_of_the_data(text, key):
    assert compile_expression(text).key(EVENT) == key


@pytest.mark.parametrize("text", ["missing", "tags", "data.score > 1", "lead"])
def test_a_key_must_be_a_plain_value(text):
    with pytest.raises(EvaluationFailed):
        compile_expression(text).key(EVENT)


@pytest.mark.parametrize("text", ["", "1 +", "data.", "x" * 3000, "a b"])
def test_text_that_is_no_expression_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        Expression(text)


def test_an_unknown_variable_is_named():
    assert compile_expression("user.name == 'x'").unknown_variables == ["user"]


@given(st.text(max_size=60))
def test_compiling_raises_nothing_but_value_error(text):
    with contextlib.suppress(ValueError):
        Expression(text)
