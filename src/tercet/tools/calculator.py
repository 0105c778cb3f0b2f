"""The `calculator` tool: seven operations on decimals (spec 3, CalculatorTool)."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, Overflow, localcontext
from typing import Any

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase

OPERATIONS = ("add", "subtract", "multiply", "divide", "power", "sqrt", "percent")
_ONE_OPERAND = frozenset({"sqrt", "percent"})
_DEFAULT_PLACES = 10
_MOST_PLACES = 50
_DIGITS = 120
"""Working digits: fifty decimal places stay exact for numbers far beyond what anyone counts."""
_LARGEST_EXPONENT = 400
_NUMBER = {
    "anyOf": [
        {"type": "number"},
        {
            "type": "string",
            "maxLength": 200,
            "pattern": r"^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?\s*$",
        },
    ]
}

_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {"type": "string", "enum": list(OPERATIONS)},
        "a": {**_NUMBER, "description": "the first operand"},
        "b": {
            **_NUMBER,
            "description": "the second operand; optional for sqrt and percent (percent: a/100, or a·b/100)",
        },
        "precision": {
            "type": "integer", "minimum": 0, "maximum": _MOST_PLACES, "default": _DEFAULT_PLACES,
            "description": "decimal places of the result",
        },
    },
    "required": ["operation", "a"],
    "additionalProperties": False,
}  # fmt: skip


class CalculatorTool(ToolBase):
    """Calculates exactly, then rounds half to even to `precision` decimal places."""

    def __init__(self) -> None:
        super().__init__(
            name="calculator",
            description="Performs arithmetic operations on decimals: add, subtract, multiply, divide, power, sqrt, percent.",
            input_schema=_INPUT_SCHEMA,
            side_effects=False,
            cache_ttl_seconds=3_600.0,
        )

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Return {operation, result}; a whole result is an int, any other a float or, when longer, a string."""
        return self._execute_impl(arguments)

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        operation = arguments["operation"]
        a = _operand(arguments["a"])
        b = None if arguments.get("b") is None else _operand(arguments["b"])
        if b is None and operation not in _ONE_OPERAND:
            raise ToolFailed("Second operand 'b' is required")
        with localcontext(Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN, Emax=999_999, Emin=-999_999)):
            try:
                value = calculate(operation, a, b)
            except (Overflow, InvalidOperation) as error:
                raise ToolFailed("The result is not a number that can be written") from error
            return {
                "operation": operation,
                "result": _rounded(value, arguments.get("precision", _DEFAULT_PLACES)),
            }

    def explain(self, violation: str, arguments: dict[str, Any]) -> str:
        """Return the words for wrong arguments."""
        if violation.startswith("/operation"):
            return (
                f"Unknown operation: {str(arguments.get('operation'))[:50]!r}; known: {', '.join(OPERATIONS)}"
            )
        return super().explain(violation, arguments)


def calculate(operation: str, a: Decimal, b: Decimal | None) -> Decimal:
    """Return the exact result as far as the context's digits go. Raises ToolFailed, decimal signals."""
    if operation == "sqrt":
        if a < 0:
            raise ToolFailed("Cannot calculate square root of negative number")
        return a.sqrt()
    if operation == "percent":
        return a / 100 if b is None else a * b / 100
    assert b is not None
    if operation == "add":
        return a + b
    if operation == "subtract":
        return a - b
    if operation == "multiply":
        return a * b
    if operation == "divide":
        if b == 0:
            raise ToolFailed("Division by zero")
        return a / b
    return _power(a, b)


def _power(a: Decimal, b: Decimal) -> Decimal:
    if a == 0 and b < 0:
        raise ToolFailed("Division by zero")
    if a < 0 and b != b.to_integral_value():
        raise ToolFailed("Cannot raise a negative number to a fraction")
    if (
        a not in (0, 1, -1)
        and abs(a.adjusted() * b) > _LARGEST_EXPONENT
        and abs((a.ln() if a > 0 else (-a).ln()) * b) > 2_000
    ):
        raise ToolFailed("The result is too large")
    return Decimal(1) if b == 0 else a**b


def _operand(value: Any) -> Decimal:
    # Through the shortest text, so that 0.1 is 0.1 and not its binary neighbour.
    number = Decimal(str(value).strip())
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ToolFailed("An operand is not a number of sensible size")
    return number


def _rounded(value: Decimal, places: int) -> int | float | str:
    if value.is_nan() or value.is_infinite() or value.adjusted() > 2 * _LARGEST_EXPONENT:
        raise ToolFailed("The result is too large")
    if value.adjusted() + places + 1 < _DIGITS:
        value = value.quantize(Decimal(1).scaleb(-places))
    if value == value.to_integral_value():
        whole = int(value)
        return whole if abs(whole) < 2**63 else str(whole)
    short = float(value)
    return short if Decimal(repr(short)) == value.normalize() else f"{value.normalize():f}"
