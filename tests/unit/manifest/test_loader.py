"""Loading: bad text becomes problems with places; nothing raises."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.domain.errors import InvalidManifest
from tercet.manifest.checks import open_manifest, open_text
from tercet.manifest.event_graph import event_graph
from tercet.manifest.formatting import format_text
from tercet.manifest.json_schema import manifest_json_schema
from tercet.manifest.loader import load_bytes, load_path, load_text, parse_yaml
from tercet.manifest.mermaid import to_mermaid
from tercet.manifest.revision import Revision
from tercet.manifest.scaffold import new_manifest
from tercet.manifest.svg import to_svg

ROOT = Path(__file__).parents[3]
CAMPAIGN = ROOT / "examples" / "lead_campaign"


@pytest.mark.parametrize(
    ("text", "rule", "line", "column"),
    [
        ("", "wrong-type", 1, 1),
        ("- a\n", "wrong-type", 1, 1),
        ("name: x\nname: y\n", "duplicate-key", 2, 1),
        ("name: x\nevents:\n\t- a\n", "bad-yaml", 3, 1),
        ("name: [x\n", "bad-yaml", 2, 1),
        ("name: x\nagent: []\n", "unknown-key", 2, 1),
        ("events: []\n", "missing-key", 1, 1),
        ("name: a b\n", "bad-name", 1, 1),
        ("name: x\nfunctions:\n  - name: f\n    trigger: {event: a.b, every: 5}\n", "unknown-key", 4, 27),
        ("name: x\nconfig:\n  defaults: {timeout: soon}\n", "bad-duration", 3, 14),
    ],
)
def test_a_problem_has_a_place_and_a_rule(text, rule, line, column):
    problem = load_text(text, source="m.yaml").problems[0]

    assert (problem.rule, problem.line, problem.column, problem.file) == (rule, line, column, "m.yaml")


def test_an_unknown_key_gets_a_suggestion():
    [problem] = load_text("name: x\nfuncions: []\n", source="m").problems

    assert "did you mean 'functions'?" in problem.hint


@pytest.mark.parametrize(
    ("raw", "rule"),
    [(b"\xff\xfe\x00", "not-utf8"), (b"a: " + b"x" * 1_000_001, "too-large"), (b"name: \x00", "bad-yaml")],
)
def test_bytes_that_are_no_manifest_become_a_problem(raw, rule):
    assert load_bytes(raw, source="m").problems[0].rule == rule


def test_a_bomb_of_aliases_is_refused():
    bomb = "a: &a [x]\n" + "".join(f"b{n}: [{', '.join(['*a'] * 20)}]\n" for n in range(10))

    assert "aliases" in load_text(bomb, source="m").problems[0].message


def test_deep_nesting_is_refused():
    assert load_text("a: " + "[" * 100 + "]" * 100, source="m").problems[0].rule == "bad-yaml"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_loading_never_raises(text):
    open_text(text)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_loading_bytes_never_raises(raw):
    load_bytes(raw, source="m")


def test_errors_are_raised_with_every_problem():
    loaded = open_text("name: x\nevents: [{name: a.b}]\nfunctions: [{name: f, trigger: {event: a.c}}]\n")

    with pytest.raises(InvalidManifest) as caught:
        loaded.raise_for_errors()

    assert {entry["rule"] for entry in caught.value.detail} >= {"undeclared-event", "handler-or-executor"}


@pytest.mark.parametrize("folder", ["../outside", "/etc"])
def test_an_agents_folder_outside_the_manifest_is_refused(tmp_path, folder):
    (tmp_path / "manifest.yaml").write_text(
        f"name: x\nevents: [{{name: a.b}}]\nagents: [{{name: a, folder: {folder}, triggers: [{{event: a.b}}]}}]\n"
    )

    [problem] = load_path(tmp_path).problems

    assert problem.rule == "agent-file"
    assert "outside" in problem.message


def test_an_agents_folder_behind_a_link_is_refused(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "CLAUDE.md").write_text("secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "agents").symlink_to(outside)
    (inside / "manifest.yaml").write_text(
        "name: x\nevents: [{name: a.b}]\nagents: [{name: a, folder: agents, triggers: [{event: a.b}]}]\n"
    )

    loaded = load_path(inside)

    assert loaded.files == {}
    assert "outside" in loaded.problems[0].message


def test_the_example_has_neither_errors_nor_warnings():
    assert open_manifest(CAMPAIGN).problems == []


def test_a_stored_revision_comes_back_without_the_disk():
    revision = Revision.of(open_manifest(CAMPAIGN))

    again = Revision.from_stored(revision.to_stored())

    assert again == revision
    agent = again.manifest.agents[0]
    assert "Persona matcher" in again.instructions_of(agent)
    assert again.output_schema_of(agent)["properties"]["score"]["maximum"] == 100


def test_the_json_schema_accepts_the_example_and_refuses_a_misfit():
    from jsonschema import Draft202012Validator

    schema = manifest_json_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    document = parse_yaml((CAMPAIGN / "manifest.yaml").read_text("utf-8"))

    assert list(validator.iter_errors(document)) == []
    assert list(validator.iter_errors({**document, "functons": []})) != []


def test_formatting_keeps_comments_and_meaning_and_is_idempotent():
    text = (CAMPAIGN / "manifest.yaml").read_text("utf-8")

    formatted = format_text(text)

    assert format_text(formatted) == formatted
    assert parse_yaml(formatted) == parse_yaml(text)
    assert [line.strip() for line in formatted.splitlines() if "#" in line] == [
        line.strip() for line in text.splitlines() if "#" in line
    ]


def test_a_new_manifest_is_whole_and_keeps_the_banners(tmp_path):
    new_manifest(tmp_path, "fresh")

    text = (tmp_path / "manifest.yaml").read_text("utf-8")
    assert open_manifest(tmp_path).problems == []
    for banner in ("# Executor: 🤖 Agent", "# Triggered by: 👤 Human", "# Executor: ⚙️ Automated"):
        assert banner in text


def test_the_graph_tells_agents_humans_and_code_apart():
    graph = event_graph(open_manifest(CAMPAIGN).raise_for_errors())

    kinds = {node.label: node.kind for node in graph.nodes.values()}
    mermaid, svg = to_mermaid(graph), to_svg(graph)

    assert kinds["persona-matcher"] == "agent"
    assert kinds["approve-campaign"] == "human"
    assert kinds["send-email"] == "automated"
    assert kinds["campaign.started"] == "outside"
    assert kinds["every 15 minutes"] == "cron"
    assert all(icon in mermaid for icon in ("🤖", "👤", "⚙️"))
    assert mermaid.startswith("flowchart LR\n")
    assert svg.count("<rect") > len(graph.nodes)


def test_labels_are_escaped_in_both_drawings():
    loaded = load_text(
        "name: x\nevents: [{name: a.b}]\n"
        "functions: [{name: f, handler: 'a:b', trigger: {event: a.b},"
        " emits: [{event: a.b, when: 'data.x == \"<script>\" && true'}]}]\n",
        source="m",
    )
    graph = event_graph(loaded.raise_for_errors())

    assert "<script>" not in to_mermaid(graph)
    assert "<script>" not in to_svg(graph)
