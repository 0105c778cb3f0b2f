"""Templates: declared variables, what is missing, what has the wrong form."""

from __future__ import annotations

import pytest

from tercet.chat.library import SHIPPED, LibraryTemplate, Variable, load_library
from tercet.domain.contract import ExecutorRequest
from tercet.domain.errors import InvalidSettings
from tercet.executors.template_engine import TemplateEngineExecutor

EXAMPLES = {
    "supplier-contract": {"supplier_name": "ACME", "jurisdiction": "Denmark"},
    "meeting-minutes": {"topic": "Review", "meeting_date": "2027-01-31"},
    "non-disclosure-agreement": {"party_a": "A", "party_b": "B", "jurisdiction": "Denmark"},
}


@pytest.mark.parametrize("template", load_library(SHIPPED).all, ids=lambda template: template.name)
async def test_a_shipped_template_renders_with_its_required_variables_and_its_defaults(template):
    values, problems = template.fill(EXAMPLES[template.name])
    result = await TemplateEngineExecutor().run(
        ExecutorRequest.model_validate(
            {
                "task_id": "t", "executor_type": "template_engine",
                "task": {"template": template.template, "input_variables": values},
            }
        )
    )  # fmt: skip

    assert problems == {}
    assert result.status == "success", result.error


@pytest.mark.parametrize(
    ("variable", "given", "read"),
    [
        ({"type": "integer"}, "30 days", 30),
        ({"type": "integer"}, 45, 45),
        ({"type": "number"}, "2.5 %", 2.5),
        ({"type": "date"}, "2027-02-28", "2027-02-28"),
        ({"choices": ["Email", "Post"]}, " email ", "Email"),
        ({}, "  ACME Ltd ", "ACME Ltd"),
    ],
)
def test_a_value_is_read_in_its_type(variable, given, read):
    assert Variable(description="", **variable).read(given) == read


@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ({"type": "integer"}, "a few"),
        ({"type": "integer"}, "2.5"),
        ({"type": "integer"}, "9" * 40),
        ({"type": "date"}, "2027-02-30"),
        ({"choices": ["Email", "Post"]}, "pigeon"),
        ({}, "x" * 2_001),
    ],
)
def test_a_value_of_the_wrong_form_is_a_problem(variable, given):
    template = LibraryTemplate(
        name="t", title="T", description="", keywords=("t",), template="",
        variables={"v": Variable(description="", **variable)},
    )  # fmt: skip
    _, problems = template.fill({"v": given})

    assert list(problems) == ["v"]
    assert "v" in template.question(problems)


def test_a_template_file_that_is_wrong_stops_the_start_and_is_named(tmp_path):
    (tmp_path / "mine.yaml").write_text("name: Not A Name\n")

    with pytest.raises(InvalidSettings, match=r"mine\.yaml"):
        load_library(tmp_path)


def test_two_templates_of_one_name_are_refused(tmp_path):
    text = (SHIPPED / "supplier-contract.yaml").read_text("utf-8")
    (tmp_path / "again.yaml").write_text(text)

    with pytest.raises(InvalidSettings, match="two templates"):
        load_library(SHIPPED, tmp_path)
