"""Reads what a PlanExe run has cost: `usage_metrics.jsonl`, and the sums of `activity_overview.json` to compare with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from tercet.domain.errors import InvalidInput
from tercet.plans.problems import PlanProblem

_LONGEST_LINE = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCall:
    """One call. A failed one may have no cost: it is kept, and flagged."""

    at: str
    model: str
    success: bool
    tokens_input: int
    tokens_output: int
    tokens_thinking: int
    cost_usd: Decimal | None
    cost_as_float: float
    duration_seconds: float | None
    error: str | None

    @property
    def flags(self) -> list[str]:
        """`failed`, `no_cost`."""
        return [
            name
            for name, holds in (("failed", not self.success), ("no_cost", self.cost_usd is None))
            if holds
        ]


def read_usage(files: Mapping[str, bytes]) -> tuple[list[ModelCall], list[PlanProblem]]:
    """Return the calls in order, and the lines that are none."""
    calls: list[ModelCall] = []
    problems: list[PlanProblem] = []
    raw = files.get("usage_metrics.jsonl", b"").decode("utf-8", "replace")
    for number, line in enumerate(raw.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            if len(line) > _LONGEST_LINE:
                raise ValueError("the line is too long")
            # Dollars as they are written: a float in between would change the last digits.
            calls.append(_call(json.loads(line, parse_float=Decimal)))
        except (ValueError, TypeError, KeyError, InvalidOperation) as error:
            problems.append(
                PlanProblem(
                    place=f"usage_metrics.jsonl: line {number}", rule="not-a-call",
                    message=f"the line is no model call: {error}"[:300],
                    hint="the line was left out",
                )
            )  # fmt: skip
    return calls, problems


def totals(calls: list[ModelCall]) -> dict[str, dict[str, Any]]:
    """Return calls, tokens and cost by model, added up as the overview adds them (binary floats, in order)."""
    found: dict[str, dict[str, Any]] = {}
    for call in calls:
        sums = found.setdefault(
            call.model,
            {"calls": 0, "input_tokens": 0, "output_tokens": 0, "thinking_tokens": 0, "total_cost": 0.0},
        )
        sums["calls"] += 1
        sums["input_tokens"] += call.tokens_input
        sums["output_tokens"] += call.tokens_output
        sums["thinking_tokens"] += call.tokens_thinking
        sums["total_cost"] += call.cost_as_float
    return found


def read_overview(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the run's own sums. Raises InvalidInput when they cannot be read."""
    try:
        body = json.loads(files["activity_overview.json"])
        return dict(body["models"])
    except (KeyError, ValueError, TypeError) as error:
        raise InvalidInput("activity_overview.json cannot be read") from error


def _call(row: dict[str, Any]) -> ModelCall:
    cost = row.get("cost_usd")
    error = row.get("error_message") or row.get("error")
    return ModelCall(
        at=str(row["timestamp"]),
        model=str(row["model"]),
        success=bool(row["success"]),
        tokens_input=int(row.get("input_tokens") or 0),
        tokens_output=int(row.get("output_tokens") or 0),
        tokens_thinking=int(row.get("thinking_tokens") or 0),
        cost_usd=None if cost is None else Decimal(cost),
        cost_as_float=0.0 if cost is None else float(cost),
        duration_seconds=None if row.get("duration_seconds") is None else float(row["duration_seconds"]),
        error=None if error is None else str(error)[:2_000],
    )
