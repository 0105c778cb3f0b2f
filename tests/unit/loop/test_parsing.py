"""What models say, and what it counts as."""

from __future__ import annotations

import pytest

from tercet.loop import EXECUTOR_SYSTEM_PROMPT, parse_executor_response
from tercet.loop.tools import parse_plan, parse_review


@pytest.mark.parametrize(
    ("text", "success", "output"),
    [
        ('{"success": true, "output": "ran pytest"}', True, "ran pytest"),
        ('{"thought": "t", "success": false, "output": "command not found"}', False, "command not found"),
        ('Here it is:\n```json\n{"success": true, "output": "ok"}\n```\nBye.', True, "ok"),
        ('{"a": 1} then {"success": true, "output": "second object"}', True, "second object"),
        ('{"success": true, "output": "first"} {"success": false, "output": "second"}', True, "first"),
        ('{broken {"success": true, "output": "inside"}', True, "inside"),
        ('{"result": {"success": true, "output": "nested"}}', True, "nested"),
        ('{"success": true, "output": ""}', True, ""),
    ],
)
def test_an_executors_answer_is_read_when_it_states_an_outcome(text: str, success: bool, output: str):
    assert parse_executor_response(text) == {"success": success, "output": output}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no answer"),
        ("   \n", "no answer"),
        ("I did it, all tests pass!", "is not JSON"),
        ('{"success": true, "output": "cut o', "is not JSON"),
        ("[true, false]", "is not JSON"),
        ('{"success": true}', "lacks 'output'"),
        ('{"output": "done"}', "lacks 'success'"),
        ('{"done": true}', "lacks 'success' and 'output'"),
        ('{"success": "true", "output": "done"}', "'success' of the executor's answer is 'true'"),
        ('{"success": 1, "output": "done"}', "'success' of the executor's answer is 1"),
        ('{"success": null, "output": "done"}', "'success' of the executor's answer is None"),
        ('{"success": true, "output": ["done"]}', "'output' of the executor's answer is no text"),
        ('{"success": true, "output": null}', "'output' of the executor's answer is no text"),
        ("{" * 5_000, "is not JSON"),
        ('{"a":' * 5_000, "is not JSON"),
    ],
)
def test_an_executors_answer_is_a_failure_when_it_states_none(text: str, why: str):
    outcome = parse_executor_response(text)

    assert outcome["success"] is False
    assert why in outcome["output"]


def test_the_executors_prompt_demands_the_thought_first():
    assert EXECUTOR_SYSTEM_PROMPT.index('"thought"') < EXECUTOR_SYSTEM_PROMPT.index('"success"')


def test_a_plan_is_read_with_its_executors():
    text = 'My plan: {"thought": "t", "plan": ["a", {"step": "b", "executor": "human", "options": {"form": {}}}]}'

    assert parse_plan(text, ["agent", "human"]) == [
        {"step": "a", "executor": "agent", "options": {}},
        {"step": "b", "executor": "human", "options": {"form": {}}},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no plan",
        '{"plan": []}',
        '{"plan": "a"}',
        '{"plan": [""]}',
        '{"plan": [1]}',
        '{"plan": [{"step": "a", "executor": "nobody"}]}',
        '{"plan": [{"step": "a", "options": 1}]}',
        '{"plan": [{"executor": "agent"}]}',
        f'{{"plan": {["a"] * 51}}}'.replace("'", '"'),
    ],
)
def test_a_plan_is_none_when_it_cannot_be_followed(text: str):
    assert parse_plan(text, ["agent"]) is None


@pytest.mark.parametrize("verdict", ["continue", "retry", "replan", "finish"])
def test_a_review_is_read(verdict: str):
    assert parse_review(f'Well. {{"verdict": "{verdict}", "feedback": "f"}}') == (verdict, "f")


@pytest.mark.parametrize(
    "text", ["", "fine", '{"verdict": "maybe"}', '{"verdict": true}', '{"feedback": "f"}']
)
def test_a_review_means_retry_when_it_cannot_be_read(text: str):
    assert parse_review(text)[0] == "retry"
