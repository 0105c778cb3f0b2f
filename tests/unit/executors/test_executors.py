"""The executors that need no model: templates, rules, documents, tools, registry."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.domain.contract import ExecutorRequest, ExecutorResult
from tercet.domain.errors import InvalidSettings
from tercet.domain.tool import ToolFailed
from tercet.executors.classifier import ClassifierExecutor
from tercet.executors.document_processor import DocumentProcessorExecutor
from tercet.executors.registry import ExecutorRegistry
from tercet.executors.template_engine import TemplateEngineExecutor
from tercet.executors.tool_call import ToolCallExecutor
from tercet.tools.base import ToolBase
from tercet.tools.catalog import ToolCatalog


def request(executor_type: str, task: dict[str, Any], **constraints: Any) -> ExecutorRequest:
    return ExecutorRequest.model_validate(
        {"task_id": "t", "executor_type": executor_type, "task": task, "constraints": constraints}
    )


def run(executor: Any, task: dict[str, Any]) -> ExecutorResult:
    result: ExecutorResult = asyncio.run(executor.run(request(executor.executor_type, task)))
    return result


class Echo(ToolBase):
    """A tool that gives its arguments back."""

    def __init__(self) -> None:
        schema = {
            "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
        }  # fmt: skip
        super().__init__(name="echo", description="Echoes.", input_schema=schema, side_effects=False)

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        if arguments["text"] == "fail":
            raise ToolFailed("It is broken")
        return {**arguments, "key": idempotency_key}


def test_a_template_is_rendered_with_the_input_variables():
    result = run(
        TemplateEngineExecutor(), {"template": "Hello {{ name }}", "input_variables": {"name": "Ada"}}
    )

    assert result.to_wire() == {"status": "success", "result": {"content": "Hello Ada", "format": "text"}}


def test_several_templates_give_a_field_each():
    task = {
        "templates": {"subject": "To {{ n }}", "body": "{% for x in xs %}{{ x }};{% endfor %}"},
        "input_variables": {"n": 1, "xs": [1, 2]},
    }

    assert run(TemplateEngineExecutor(), task).result == {"subject": "To 1", "body": "1;2;"}


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{ missing }}", "MISSING_VARIABLE"),
        ("{% if %}", "TEMPLATE_ERROR"),
        ("{{ ''.__class__.__mro__ }}", "TEMPLATE_ERROR"),
        ("{{ 10**10**9 }}", "TEMPLATE_ERROR"),
        ("{{ 'a' * 10**9 }}", "TEMPLATE_ERROR"),
        ("{% for a in range(10**9) %}x{% endfor %}", "TEMPLATE_ERROR"),
        ("{% for a in range(9) recursive %}{{ loop(range(9)) }}{% endfor %}", "TEMPLATE_ERROR"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "TEMPLATE_ERROR"),
        ("{% include '/etc/passwd' %}", "TEMPLATE_ERROR"),
        ("{{ 1 / 0 }}", "TEMPLATE_ERROR"),
        (
            "{% for a in range(1000) %}{% for b in range(1000) %}xxxx{% endfor %}{% endfor %}",
            "TEMPLATE_ERROR",
        ),
    ],
)
def test_a_template_fails_with_a_code_when_it_is_wrong_or_hostile(template, code):
    result = run(TemplateEngineExecutor(), {"template": template})

    assert result.error is not None
    assert result.error.code == code


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="{}% abif|'.()[]*+-/=endforc1_", max_size=40))
def test_templates_never_raise(template):
    run(TemplateEngineExecutor(), {"template": template})


RULES = [
    {"label": "no", "any_of": ["unsubscribe", "no thanks"]},
    {"label": "yes", "any_of": ["call"], "all_of": ["please"]},
    {"label": "code", "regex": r"\bX-\d{3}\b"},
]


@pytest.mark.parametrize(
    ("text", "label"),
    [("No Thanks!", "no"), ("please CALL", "yes"), ("call", "other"), ("see X-123", "code")],
)
def test_rules_label_a_text(text, label):
    task = {"labels": ["yes", "no", "code", "other"], "rules": RULES, "text": text, "default_label": "other"}

    result = run(ClassifierExecutor(), task).result

    assert result is not None
    assert result["label"] == label


@pytest.mark.parametrize(
    "task",
    [
        {"labels": [], "text": "x"},
        {"labels": ["a", "a"], "text": "x"},
        {"labels": ["a"], "text": 5},
        {"labels": ["a"], "rules": [{"label": "b", "any_of": ["x"]}], "text": "x"},
        {"labels": ["a"], "rules": [{"label": "a"}], "text": "x"},
        {"labels": ["a"], "rules": [{"label": "a", "regex": "("}], "text": "x"},
        {"labels": ["a"], "rules": [{"label": "a", "regex": "(a+)+$"}], "text": "a" * 5000 + "!"},
        {"labels": ["a"], "rules": [{"label": "a", "any_of": ["z"]}], "text": "x"},
    ],
)
def test_a_classification_is_refused_when_it_cannot_be_decided(task):
    error = run(ClassifierExecutor(), task).error

    assert error is not None
    assert error.code == "INVALID_INPUT"


def test_a_csv_becomes_a_table_and_its_encoding_is_told():
    raw = base64.b64encode("name;x\nÅse|1".replace(";", ",").encode("cp1252")).decode()

    result = run(DocumentProcessorExecutor(), {"filename": "a.csv", "content_base64": raw}).result

    assert result == {
        "content": "| name | x |\n| --- | --- |\n| Åse\\|1 |  |",
        "format": "markdown",
        "encoding": "cp1252",
    }


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ({"filename": "a.exe", "text": "x"}, "DOCUMENT_UNSUPPORTED"),
        ({"filename": "a.txt"}, "INVALID_INPUT"),
        ({"filename": "a.txt", "content_base64": "***"}, "INVALID_INPUT"),
        ({"filename": "a.docx", "text": "no archive"}, "DOCUMENT_ERROR"),
        ({"filename": "a.txt", "content_base64": "A" * 40_000_000}, "DOCUMENT_TOO_LARGE"),
    ],
)
def test_a_document_is_refused_with_a_code(task, code):
    error = run(DocumentProcessorExecutor(), task).error

    assert error is not None
    assert error.code == code


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ({"tool": "nothing", "arguments": {}}, "TOOL_NOT_FOUND"),
        ({"tool": ["echo"], "arguments": {}}, "TOOL_NOT_FOUND"),
        ({"tool": "echo", "arguments": {}}, "INVALID_INPUT"),
        ({"tool": "echo", "arguments": "x"}, "INVALID_INPUT"),
        ({"tool": "echo", "arguments": {"text": "fail"}}, "TOOL_ERROR"),
    ],
)
def test_a_tool_call_fails_with_a_code(task, code):
    error = run(ToolCallExecutor(ToolCatalog([Echo()])), task).error

    assert error is not None
    assert error.code == code


def test_a_tool_gets_its_arguments_and_the_idempotency_key():
    result = run(
        ToolCallExecutor(ToolCatalog([Echo()])),
        {"tool": "echo", "arguments": {"text": "hi"}, "idempotency_key": "k"},
    )

    assert result.result == {"tool": "echo", "output": {"text": "hi", "key": "k"}}


class Misbehaving:
    """An executor that breaks the contract."""

    executor_type = "bad"

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        if request.task.prompt == "hang":
            await asyncio.sleep(60)
        raise RuntimeError("secret path /etc/shadow")


@pytest.fixture
def registry() -> ExecutorRegistry:
    made = ExecutorRegistry()
    made.register(Misbehaving())
    return made


async def test_the_registry_turns_an_exception_into_a_failure_without_internals(registry):
    result = await registry.run(request("bad", {"prompt": "x"}))

    assert result.error.code == "EXECUTOR_ERROR"
    assert "secret" not in result.error.message


async def test_the_registry_ends_a_call_at_its_timeout(registry):
    result = await registry.run(request("bad", {"prompt": "hang"}, timeout_ms=30))

    assert result.to_wire() == {
        "status": "failed", "error": {"code": "MODEL_TIMEOUT", "message": "Execution exceeded 0.03s"},
    }  # fmt: skip


async def test_the_registry_names_what_is_registered_when_a_type_is_unknown(registry):
    result = await registry.run(request("nope", {"prompt": "x"}))

    assert result.error.code == "EXECUTOR_NOT_FOUND"
    assert "bad" in result.error.message


def test_a_type_is_registered_once(registry):
    with pytest.raises(ValueError, match="registered already"):
        registry.register(Misbehaving())


def test_a_tool_that_raises_is_a_failure_without_internals():
    class Broken(Echo):
        async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
            raise OSError("/secret/path")

    error = run(ToolCallExecutor(ToolCatalog([Broken()])), {"tool": "echo", "arguments": {"text": "x"}}).error

    assert error is not None
    assert error.code == "TOOL_ERROR"
    assert "secret" not in error.message


def test_two_tools_of_one_name_stop_the_start():
    with pytest.raises(InvalidSettings, match="two tools are called 'echo'"):
        ToolCallExecutor(ToolCatalog([Echo(), Echo()]))
