"""`classifier`: a label from rules, or from the model with a schema-bound answer and a confidence.

Task fields: `labels` (list), `text` (or prompt), `rules` ([{label, any_of: […], all_of: […], regex}]),
`default_label`, `use_model` (default: true when there are no rules). Result: {label, confidence, reason, source}.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol

import regex

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult, TaskSpec

_REGEX_SECONDS = 0.2
_RULES_SECONDS = 1.0
_MOST_RULES = 1_000
_LONGEST_PATTERN = 1_000
_LONGEST_TEXT = 200_000


class ModelCall(Protocol):
    """How the classifier asks a model: the llm executor's `run`."""

    async def run(self, request: ExecutorRequest) -> ExecutorResult: ...


class ClassifierExecutor:
    """Labels a text."""

    executor_type = "classifier"

    def __init__(self, llm: ModelCall | None = None) -> None:
        self._llm = llm

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Classify; see the contract."""
        task = request.task
        labels, rules = task.field("labels"), task.field("rules", [])
        text = task.field("text", task.prompt)
        if not _is_label_list(labels):
            return _invalid("`labels` must be a list of 1 to 200 different texts")
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
            return _invalid(f"`text` must be a text of at most {_LONGEST_TEXT:,} characters")
        try:
            checked = _check_rules(rules, labels)
            # A regex may take its time; the event loop must not wait for it.
            matched = await asyncio.to_thread(_first_match, checked, text) if checked else None
        except ValueError as error:
            return _invalid(str(error))
        if matched is not None:
            return _success({"label": matched[0], "confidence": 1.0, "reason": matched[1], "source": "rules"})
        if task.field("use_model", not rules):
            return await self._ask_model(request, labels, text)
        default = task.field("default_label")
        if default in labels:
            return _success(
                {"label": default, "confidence": 0.0, "reason": "no rule matched", "source": "default"}
            )
        return _invalid("no rule matched, and there is no default_label among the labels")

    async def _ask_model(self, request: ExecutorRequest, labels: list[str], text: str) -> ExecutorResult:
        if self._llm is None:
            return ExecutorResult.failure(
                ErrorCode.MODEL_UNAVAILABLE, "No model is configured for the classifier"
            )
        schema = {
            "type": "object",
            "properties": {
                "label": {"type": "string", "enum": labels},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                "reason": {"type": "string"},
            },
            "required": ["label", "confidence", "reason"],
        }
        model = request.task.field("model")
        question = TaskSpec.model_validate(
            {
                "task_type": "classify",
                "prompt": f"Classify the text. Labels: {', '.join(labels)}. Give the label, your confidence and a short reason.",
                "input_variables": {"text": text},
                "output_schema": schema,
                "system": request.task.field("instructions", "You are a careful classifier."),
                **({"model": model} if model else {}),
            }
        )
        answer = await self._llm.run(request.model_copy(update={"executor_type": "llm", "task": question}))
        if answer.status != "success" or answer.result is None:
            return answer
        data = answer.result.get("data")
        if not isinstance(data, dict) or data.get("label") not in labels:
            return ExecutorResult.failure(
                ErrorCode.OUTPUT_INVALID, "The model's label is not among the labels",
                usage=answer.usage, model_used=answer.model_used,
            )  # fmt: skip
        return answer.model_copy(update={"result": {**data, "source": "model"}})


def _is_label_list(labels: Any) -> bool:
    return (
        isinstance(labels, list)
        and 1 <= len(labels) <= 200
        and all(isinstance(label, str) and label for label in labels)
        and len(set(labels)) == len(labels)
    )


def _check_rules(rules: Any, labels: list[str]) -> list[dict[str, Any]]:
    """Return the rules. Raises ValueError that names the first wrong one."""
    if not isinstance(rules, list) or len(rules) > _MOST_RULES:
        raise ValueError(f"`rules` must be a list of at most {_MOST_RULES:,}")
    for index, rule in enumerate(rules):
        if not isinstance(rule, dict) or not any(rule.get("label") == label for label in labels):
            raise ValueError(f"rule {index} must be an object whose label is among the labels")
        if not any(rule.get(key) for key in ("any_of", "all_of", "regex")):
            raise ValueError(f"rule {index} needs any_of, all_of or regex")
        for key in ("any_of", "all_of"):
            words = rule.get(key, [])
            if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
                raise ValueError(f"rule {index}: {key} must be a list of texts")
        pattern = rule.get("regex", "")
        if not isinstance(pattern, str) or len(pattern) > _LONGEST_PATTERN:
            raise ValueError(f"rule {index}: regex must be a text of at most {_LONGEST_PATTERN:,} characters")
    return rules


def _first_match(rules: list[dict[str, Any]], text: str) -> tuple[str, str] | None:
    folded, end = text.casefold(), time.monotonic() + _RULES_SECONDS
    for index, rule in enumerate(rules):
        left = end - time.monotonic()
        if left <= 0:
            raise ValueError(f"rule {index}: the rules take too long together")
        reason = _match(rule, folded, text, index, min(left, _REGEX_SECONDS))
        if reason is not None:
            return rule["label"], reason
    return None


def _match(rule: dict[str, Any], folded: str, text: str, index: int, timeout_seconds: float) -> str | None:
    any_of, all_of, pattern = rule.get("any_of", []), rule.get("all_of", []), rule.get("regex")
    hit = next((word for word in any_of if word.casefold() in folded), None)
    if any_of and hit is None:
        return None
    if not all(word.casefold() in folded for word in all_of):
        return None
    if pattern:
        try:
            if regex.search(pattern, text, timeout=timeout_seconds) is None:
                return None
        except TimeoutError as error:
            raise ValueError(f"rule {index}: the regex takes too long") from error
        except (regex.error, OverflowError, MemoryError, RecursionError) as error:
            raise ValueError(f"rule {index}: not a regex: {error}") from error
    return f"rule {index}" + (f": {hit}" if hit else "")


def _success(result: dict[str, Any]) -> ExecutorResult:
    return ExecutorResult(status="success", result=result)


def _invalid(message: str) -> ExecutorResult:
    return ExecutorResult.failure(ErrorCode.INVALID_INPUT, message)
