"""Every registered executor keeps the contract's promises."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from tercet.domain.contract import ExecutorRequest
from tercet.executors.classifier import ClassifierExecutor
from tercet.executors.document_processor import DocumentProcessorExecutor
from tercet.executors.llm import LlmExecutor
from tercet.executors.llm_models import LlmConfig
from tercet.executors.template_engine import TemplateEngineExecutor
from tercet.executors.tool_call import ToolCallExecutor
from tercet.testing.conformance.executor import check_executor
from tercet.testing.mock_claude import MockClaude
from tercet.tools.base import ToolBase
from tercet.tools.catalog import ToolCatalog


class Double(ToolBase):
    """A tool without side effects."""

    def __init__(self) -> None:
        schema = {
            "type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"],
        }  # fmt: skip
        super().__init__(name="double", description="Doubles.", input_schema=schema, side_effects=False)

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        return arguments["n"] * 2


@pytest.fixture(scope="module")
def mock() -> Iterator[MockClaude]:
    with MockClaude() as running:
        yield running


def request(executor_type: str, **task: Any) -> ExecutorRequest:
    return ExecutorRequest.model_validate({"task_id": "t", "executor_type": executor_type, "task": task})


async def test_template_engine_keeps_the_contract():
    requests = [request("template_engine", template="Hi {{ n }}", input_variables={"n": 1})]

    await check_executor(TemplateEngineExecutor(), requests)


async def test_document_processor_keeps_the_contract():
    csv = base64.b64encode(b"a,b\n1,2\n").decode()

    await check_executor(
        DocumentProcessorExecutor(), [request("document_processor", filename="a.csv", content_base64=csv)]
    )


async def test_tool_call_keeps_the_contract():
    await check_executor(
        ToolCallExecutor(ToolCatalog([Double()])), [request("tool_call", tool="double", arguments={"n": 4})]
    )


async def test_classifier_keeps_the_contract_by_rules_and_by_model(mock):
    llm = LlmExecutor(
        LlmConfig(anthropic_api_key="k", anthropic_base_url=mock.base_url, default_model="haiku")
    )
    requests = [
        request(
            "classifier", labels=["a", "b"], text="an apple", rules=[{"label": "a", "any_of": ["apple"]}]
        ),
        request("classifier", labels=["a", "b"], text="an apple"),
    ]

    await check_executor(ClassifierExecutor(llm), requests)
    await llm.aclose()


async def test_llm_keeps_the_contract_for_text_and_for_schemas(mock):
    llm = LlmExecutor(
        LlmConfig(anthropic_api_key="k", anthropic_base_url=mock.base_url, default_model="haiku")
    )
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    requests = [request("llm", prompt="Hello"), request("llm", prompt="A number", output_schema=schema)]

    await check_executor(llm, requests)
    await llm.aclose()
