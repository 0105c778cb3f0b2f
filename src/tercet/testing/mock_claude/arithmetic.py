"""Finds a calculation in a question and solves it with calculator calls, one operation a call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_LONGEST_TEXT = 20_000
_MOST_TOKENS = 100
_MOST_EXACT_DIGITS = 15
_MOST_DIGITS = 300
_SYMBOLS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "**": "^", "√": "sqrt"}
_PHRASES = [
    (re.compile(pattern, re.IGNORECASE), symbol)
    for pattern, symbol in (
        (r"\b(?:raised )?to the power of\b", " ^ "),
        (r"\bmultiplied by\b|\btimes\b|(?<=[\d)])\s*x\s*(?=[\d(])", " * "),
        (r"\bdivided by\b", " / "),
        (r"\bplus\b", " + "),
        (r"\bminus\b", " - "),
        (r"\bsquared\b", " ^ 2 "),
        (r"\bcubed\b", " ^ 3 "),
        (r"\b(?:the )?square root of\b", " sqrt "),
        (r"\bper ?cent\b", " % "),
    )
]
_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}[\dT:.Z+-]{0,30}|\d+(?:-\d+){2,}"  # dates, telephone numbers: no calculation
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<operator>\*\*|[-+*/^()%×·÷−–√]|\bsqrt\b|\bof\b)"
    r"|(?P<space>\s+)|[^\W\d][\w-]*|.",
    re.DOTALL,
)
_CUE = re.compile(
    r"\b(?:what|how much|how many|calculate|compute|evaluate|solve|sum|result)\b|=", re.IGNORECASE
)
_PRECISION = re.compile(
    r"\b(\d{1,2}) decimal (?:places|digits)\b|\bprecision (?:of |to )?(\d{1,2})\b", re.IGNORECASE
)
_BINARY = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "^": "power"}


@dataclass(frozen=True)
class Earlier:
    """An operand that is the result of an earlier step (counted from 0)."""

    step: int


Operand = int | float | Earlier


@dataclass(frozen=True, kw_only=True)
class Step:
    """One operation of a calculation; `b` is None for sqrt and a plain percent."""

    operation: str
    a: Operand
    b: Operand | None = None


def calculator_input(question: str, results: list[int | float]) -> dict[str, Any] | None:
    """Return the arguments of the next calculator call, or None when nothing is left to calculate.

    `results` are what the calls for this question have given so far, in order.
    """
    steps = steps_of(question)
    if len(results) >= len(steps):
        return None
    step = steps[len(results)]
    arguments = {"operation": step.operation, "a": _value(step.a, results)}
    if step.b is not None:
        arguments["b"] = _value(step.b, results)
    precision = _PRECISION.search(question[:_LONGEST_TEXT])
    if precision is not None:
        arguments["precision"] = min(int(precision.group(1) or precision.group(2)), 50)
    return arguments


def steps_of(question: str) -> list[Step]:
    """Return the operations of the first calculation in a text, in the order of evaluation."""
    text = question[:_LONGEST_TEXT]
    for pattern, symbol in _PHRASES:
        text = pattern.sub(symbol, text)
    asked = _CUE.search(question[:_LONGEST_TEXT]) is not None
    for tokens, sure in _runs(text):
        parser = _Parser(tokens)
        try:
            parser.expression()
        except _NotACalculation:
            continue
        if parser.at_end and parser.steps and (asked or (sure and not _is_share(parser.steps))):
            return parser.steps
    return []


def _is_share(steps: list[Step]) -> bool:
    """Whether it is a bare percentage, as in "100% sure"."""
    return len(steps) == 1 and steps[0].operation == "percent" and steps[0].b is None


def _runs(text: str) -> list[tuple[list[str], bool]]:
    """Return the stretches of numbers and operators; the flag says that no word is needed to see a calculation.

    `24/7` or `10-20` alone are rarely one; `24 / 7` and `3+4` are.
    """
    runs: list[tuple[list[str], bool]] = []
    tokens: list[str] = []
    spaced = sure = False
    for found in [*_TOKEN.finditer(text), None]:
        kind = found.lastgroup if found is not None else None
        if found is not None and kind == "space":
            spaced = True
            continue
        if found is not None and kind is not None:
            word = found.group()
            sure = sure or (kind == "operator" and (spaced or word not in "-/–−"))
            tokens.append(_SYMBOLS.get(word, word.lower()))
        elif tokens:
            if len(tokens) <= _MOST_TOKENS:
                runs.append((tokens, sure))
            tokens, sure = [], False
        spaced = False
    return runs


def _value(operand: Operand, results: list[int | float]) -> int | float:
    return results[operand.step] if isinstance(operand, Earlier) else operand


class _NotACalculation(Exception):
    """The tokens are no expression."""


class _Parser:
    """Recursive descent with the usual precedence; each operation becomes a step."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self.steps: list[Step] = []

    @property
    def at_end(self) -> bool:
        return self._at == len(self._tokens)

    def expression(self) -> Operand:
        left = self._term()
        while (operator := self._take("+", "-")) is not None:
            left = self._step(_BINARY[operator], left, self._term())
        return left

    def _term(self) -> Operand:
        left = self._signed()
        while (operator := self._take("*", "/")) is not None:
            left = self._step(_BINARY[operator], left, self._signed())
        return left

    def _signed(self) -> Operand:
        if self._take("-") is None:
            return self._power()
        value = self._signed()
        return self._step("subtract", 0, value) if isinstance(value, Earlier) else -value

    def _power(self) -> Operand:
        base = self._percent()
        return base if self._take("^") is None else self._step("power", base, self._signed())

    def _percent(self) -> Operand:
        value = self._atom()
        if self._take("%") is None:
            return value
        return self._step("percent", value, self._percent() if self._take("of") else None)

    def _atom(self) -> Operand:
        if self._take("sqrt") is not None:
            return self._step("sqrt", self._atom(), None)
        if self._take("(") is not None:
            value = self.expression()
            if self._take(")") is None:
                raise _NotACalculation
            return value
        if self.at_end or not self._tokens[self._at][-1].isdigit():
            raise _NotACalculation
        self._at += 1
        return _number(self._tokens[self._at - 1])

    def _take(self, *tokens: str) -> str | None:
        if self.at_end or self._tokens[self._at] not in tokens:
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    def _step(self, operation: str, a: Operand, b: Operand | None) -> Earlier:
        self.steps.append(Step(operation=operation, a=a, b=b))
        return Earlier(len(self.steps) - 1)


def _number(text: str) -> int | float:
    digits = text.replace(",", "")
    if len(digits) > _MOST_DIGITS:
        raise _NotACalculation
    return int(digits) if digits.isdigit() and len(digits) <= _MOST_EXACT_DIGITS else float(digits)
