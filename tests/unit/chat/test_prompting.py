"""What is sent: words for the search, history that fits, the final request; and what documents are split into."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.chat.failures import MOST_ATTEMPTS, after_failure
from tercet.chat.library import SHIPPED, load_library
from tercet.chat.passages import split_passages
from tercet.chat.policy import Verdict
from tercet.chat.prompting import final_request, history_lines, search_words
from tercet.domain.contract import RETRYABLE, Constraints, ErrorCode

PROJECT = {"id": "prj_1", "instructions": "Write in Danish."}


def lines(*contents: str) -> list[dict[str, Any]]:
    """Messages that alternate, the user's first."""
    return [
        {"role": "user" if index % 2 == 0 else "assistant", "content": content}
        for index, content in enumerate(contents)
    ]


def test_search_words_leave_out_what_every_sentence_has():
    assert search_words("What are the payment terms for ACME?") == ["payment", "term", "acme"]
    assert search_words("is it?") == ["is", "it"]
    assert search_words('"; DROP -- *') == ["drop"]


def test_history_keeps_the_newest_lines_that_fit_and_begins_with_the_user():
    history = history_lines(lines("one " * 400, "two " * 400, "three", "four"), max_tokens=700)

    assert [line["content"] for line in history] == ["three", "four"]


def test_a_long_line_of_the_history_loses_its_middle():
    (line,) = history_lines(lines("a" * 10_000 + "b" * 10_000), max_tokens=100_000)

    assert len(line["content"]) < 8_200
    assert line["content"].startswith("aaa")
    assert line["content"].endswith("bbb")


def test_the_final_request_holds_the_projects_instructions_and_the_users_own_words():
    verdict = Verdict(
        verdict="approve", executor_type="llm", task={"task_type": "answer", "prompt": "Compare."},
        constraints=Constraints(max_tokens=100),
    )  # fmt: skip
    request = final_request(
        "t", verdict, project=PROJECT, message="Which is cheaper?", history=[], found=[],
        library=load_library(SHIPPED),
    )  # fmt: skip

    assert "Write in Danish." in request.task.field("system")
    assert request.task.prompt == "Compare.\n\nThe user's message:\nWhich is cheaper?"
    assert request.execution_context.project_id == "prj_1"
    assert request.constraints.max_tokens == 100


def test_a_tool_sees_neither_history_nor_documents():
    verdict = Verdict(verdict="approve", executor_type="tool_call", task={"tool": "x", "arguments": {}})
    request = final_request(
        "t", verdict, project=PROJECT, message="m", history=[{"role": "user", "content": "secret"}],
        found=[{"title": "t", "snippet": "secret"}], library=load_library(SHIPPED),
    )  # fmt: skip

    assert "secret" not in request.model_dump_json()


def test_passages_say_under_which_headings_they_stand():
    passages = split_passages("# A\nintro\n## B\ntext\n# C\nend")

    assert [(passage.place, passage.text) for passage in passages] == [
        ("A", "# A\nintro"), ("A › B", "## B\ntext"), ("C", "# C\nend"),
    ]  # fmt: skip


@given(st.text(alphabet="ab \n\f#.é", max_size=6_000))
def test_passages_hold_the_whole_text_in_pieces_that_are_small_enough(text):
    passages = split_passages(text)

    assert all(0 < len(passage.text) <= 1_200 for passage in passages)
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(text.split())


@pytest.mark.parametrize("code", [*ErrorCode, "COST_LIMIT_REACHED", "SOMETHING_NEW"])
def test_a_failure_is_tried_again_only_while_it_may_pass_and_always_has_words(code):
    first = after_failure(code, failures=0)

    assert first.retry == (code in RETRYABLE)
    assert not after_failure(code, failures=MOST_ATTEMPTS - 1).retry
    assert not after_failure(code, failures=0, may_repeat=False).retry
    assert first.message.strip()
    assert str(code) not in first.message
