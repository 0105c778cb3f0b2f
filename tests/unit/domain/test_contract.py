"""The executor contract is spec 1, field by field."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult

REQUEST = {
    "task_id": "9d2f0e5a-6a1b-4d0c-9a53-1f1f0c0c0c0c",
    "executor_type": "llm",
    "task": {
        "task_type": "generate_template",
        "prompt": "Generate a supplier contract template...",
        "input_variables": {"supplier_name": "ACME Ltd", "jurisdiction": "Denmark"},
    },
    "execution_context": {
        "project_id": 1,
        "conversation_snippet": [{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}],
        "retrieved_documents": [{"title": "Supplier Contract v2", "snippet": "..."}],
    },
    "constraints": {
        "max_tokens": 2000, "temperature": 0.3, "allowed_models": ["gpt-4.1", "local-llm-v1"], "timeout_ms": 30000,
    },
}  # fmt: skip
RESULT = {
    "status": "success",
    "result": {"content": "Here is the supplier contract template...", "format": "markdown"},
    "usage": {"tokens_input": 820, "tokens_output": 1340, "total_tokens": 2160, "estimated_cost": 0.21},
    "model_used": "gpt-4.1",
}
FAILURE = {"status": "failed", "error": {"code": "MODEL_TIMEOUT", "message": "Execution exceeded 30s"}}


def test_the_request_of_the_spec_comes_back_as_it_went():
    assert ExecutorRequest.model_validate(REQUEST).to_wire() == REQUEST


@pytest.mark.parametrize("result", [RESULT, FAILURE])
def test_the_results_of_the_spec_come_back_as_they_went(result):
    assert ExecutorResult.model_validate(result).to_wire() == result


def test_a_failure_is_what_the_spec_shows():
    assert ExecutorResult.failure(ErrorCode.MODEL_TIMEOUT, "Execution exceeded 30s").to_wire() == FAILURE


@pytest.mark.parametrize(
    "change",
    [
        {"executor_type": ""},
        {"task_id": None},
        {"constraints": {"timeout_ms": 0}},
        {"constraints": {"max_tokens": -1}},
        {"constraints": {"max_cost_usd": -1}},
        {"execution_context": {"conversation_snippet": [{"role": "robot", "content": "x"}]}},
        {"surprise": 1},
    ],
)
def test_a_request_is_refused_when_a_field_is_wrong(change):
    with pytest.raises(ValidationError):
        ExecutorRequest.model_validate({**REQUEST, **change})
