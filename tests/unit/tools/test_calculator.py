"""The calculator: exact on decimals, clear in its refusals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.tools.calculator import CalculatorTool

NUMBERS = st.decimals(min_value=-(10**12), max_value=10**12, places=6, allow_nan=False, allow_infinity=False)


def calculate(**arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = CalculatorTool().execute(arguments)
    return answer


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"operation": "add", "a": 15, "b": 27, "precision": 5}, 42),
        ({"operation": "add", "a": 0.1, "b": 0.2}, 0.3),
        ({"operation": "subtract", "a": 1, "b": 0.9}, 0.1),
        ({"operation": "multiply", "a": "1.1", "b": "1.1"}, 1.21),
        ({"operation": "divide", "a": 1, "b": 3, "precision": 4}, 0.3333),
        ({"operation": "divide", "a": 2, "b": 3, "precision": 0}, 1),
        ({"operation": "power", "a": 2, "b": 10}, 1024),
        ({"operation": "power", "a": 2, "b": -1}, 0.5),
        (
            {"operation": "sqrt", "a": 2, "precision": 50},
            "1.41421356237309504880168872420969807856967187537695",
        ),
        ({"operation": "percent", "a": 50}, 0.5),
        ({"operation": "percent", "a": 15, "b": 200}, 30),
        ({"operation": "multiply", "a": 10**12, "b": 10**12}, "1000000000000000000000000"),
    ],
)
def test_result_is_rounded_to_decimal_places(arguments: dict[str, Any], result: Any):
    assert calculate(**arguments) == {
        "success": True,
        "result": {"operation": arguments["operation"], "result": result},
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"operation": "divide", "a": 1, "b": 0}, "Division by zero"),
        ({"operation": "power", "a": 0, "b": -1}, "Division by zero"),
        ({"operation": "sqrt", "a": -1}, "Cannot calculate square root of negative number"),
        ({"operation": "root", "a": 1}, "Unknown operation"),
        ({"operation": "add", "a": 1}, "Second operand 'b' is required"),
        ({"operation": "power", "a": 10, "b": 10**9}, "too large"),
        ({"operation": "add", "a": "one", "b": 1}, "wrong at /a"),
        ({"operation": "add", "a": 1, "b": 1, "precision": 51}, "wrong at /precision"),
        ({"operation": "add", "a": 1, "b": 1, "c": 1}, "wrong at /"),
        ({"operation": "add", "a": "9e9999", "b": 1}, "sensible size"),
    ],
)
def test_what_cannot_be_calculated_is_said(arguments: dict[str, Any], error: str):
    answer = calculate(**arguments)

    assert answer["success"] is False
    assert error in answer["error"]


def test_arguments_that_are_no_object_are_refused():
    assert CalculatorTool().execute("2 + 2")["success"] is False


@given(NUMBERS, NUMBERS)
def test_sums_and_products_are_those_of_decimals(a: Decimal, b: Decimal):
    total = calculate(operation="add", a=str(a), b=str(b), precision=50)["result"]["result"]
    product = calculate(operation="multiply", a=str(a), b=str(b), precision=50)["result"]["result"]

    with localcontext() as context:
        context.prec = 100
        assert Decimal(str(total)) == a + b
        assert Decimal(str(product)) == a * b


@given(NUMBERS.filter(lambda number: number != 0), NUMBERS.filter(lambda number: number != 0))
def test_division_is_undone_by_multiplication_within_the_precision(a: Decimal, b: Decimal):
    quotient = Decimal(
        str(calculate(operation="divide", a=str(a), b=str(b), precision=50)["result"]["result"])
    )

    with localcontext() as context:
        context.prec = 120
        assert abs(quotient * b - a) <= abs(b) * Decimal("1e-50")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=20), st.lists, max_leaves=5))
def test_no_operand_makes_it_raise(value: Any):
    try:
        answer = calculate(operation="add", a=value, b=1)
    except ValueError:
        pytest.fail("the calculator raised")
    assert set(answer) in ({"success", "result"}, {"success", "error"})
