"""What a turn leads to: the text that the user reads, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tercet.chat.policy import Verdict
from tercet.domain.codec import to_json
from tercet.domain.contract import ExecutorResult

Kind = Literal["response", "question", "result", "refused", "failed"]
_LONGEST_OUTPUT = 50_000
_NOTHING = "The executor gave an empty answer."


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The assistant's message."""

    kind: Kind
    text: str
    detail: dict[str, Any] = field(default_factory=dict)


def from_verdict(verdict: Verdict, *, action: str) -> Outcome:
    """Return the outcome of a turn in which nothing is executed."""
    detail: dict[str, Any] = {"reasons": verdict.reasons} if verdict.reasons else {}
    if verdict.pending is not None:
        detail["pending"] = verdict.pending
    asks = verdict.verdict == "clarify" or action == "clarify"
    kind: Kind = "refused" if verdict.verdict == "refuse" else "question" if asks else "response"
    return Outcome(kind=kind, text=verdict.message or "", detail=detail)


def from_result(verdict: Verdict, result: ExecutorResult, found: list[dict[str, Any]]) -> Outcome:
    """Return the outcome of an execution that has a result."""
    text, format_ = _text(verdict, result.result or {})
    detail: dict[str, Any] = {"executor_type": verdict.executor_type, "format": format_}
    if result.model_used:
        detail["model"] = result.model_used
    if verdict.executor_type == "template_engine":
        detail["template"] = verdict.task["template"]
    if result.status == "partial":
        text += "\n\n*(cut off at the length limit)*"
        detail["partial"] = True
    if verdict.executor_type == "llm" and found:
        detail["sources"] = [{key: part[key] for key in ("document_id", "title", "place")} for part in found]
    return Outcome(kind="result", text=text or _NOTHING, detail=detail)


def _text(verdict: Verdict, result: dict[str, Any]) -> tuple[str, str]:
    kind = verdict.executor_type
    if kind == "classifier":
        reason = f": {result['reason']}" if result.get("reason") else ""
        return f"**{result.get('label')}** ({result.get('confidence', 0):.0%}){reason}", "markdown"
    if kind == "tool_call":
        output = result.get("output")
        text = output if isinstance(output, str) else f"```json\n{to_json(output)}\n```"
        if len(text) > _LONGEST_OUTPUT:
            text = f"{text[:_LONGEST_OUTPUT]}\n[… {len(text) - _LONGEST_OUTPUT} characters left out …]"
        return text, "markdown"
    format_ = verdict.task.get("template_format") or result.get("format") or "markdown"
    return str(result.get("content") or ""), str(format_)
