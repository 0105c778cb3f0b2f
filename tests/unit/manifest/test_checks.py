"""Every rule of the manifest checks has an example that breaks it; the base manifest breaks none."""

from __future__ import annotations

from typing import Any

import pytest

from tercet.domain.codec import to_json
from tercet.manifest.checks import RULES, open_text

SCHEMA = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "error": {"type": "string"}},
    "required": ["success"],
}


def base() -> dict[str, Any]:
    return {
        "name": "base",
        "events": [
            {"name": "lead.sent"}, {"name": "lead.scored"}, {"name": "lead.approved"},
            {"name": "lead.dropped", "description": "final"}, {"name": "lead.mailed", "description": "final"},
        ],
        "agents": [
            {
                "name": "scorer", "instructions": "Score.", "triggers": [{"event": "lead.sent"}], "emits": ["lead.scored"],
                "contract": {"output_schema": SCHEMA},
            }
        ],
        "humans": [
            {
                "name": "review", "trigger": {"event": "lead.scored"}, "timeout": "1d",
                "emits": ["lead.approved", {"event": "lead.dropped", "on": "timeout"}],
            }
        ],
        "functions": [
            {
                "name": "mail", "trigger": {"event": "lead.approved"}, "requires_approval": "review",
                "executor": {"type": "template_engine", "template": "Hi"}, "emits": ["lead.mailed"],
            }
        ],
    }  # fmt: skip


def problems(document: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    loaded = open_text(to_json(document), **options)
    return [(problem.rule, problem.severity) for problem in loaded.problems]


def test_the_base_manifest_has_no_problem():
    assert problems(base()) == []


def function(**fields: Any) -> dict[str, Any]:
    return {"name": "extra", "trigger": {"event": "lead.sent"}, "handler": "a:b", **fields}


def broken(rule: str) -> dict[str, Any]:
    m = base()
    cases: dict[str, Any] = {
        "duplicate-name": lambda: m["functions"].append(function(name="mail")),
        "event-name-style": lambda: m["events"].append({"name": "Lead"}) or m["functions"].append(function(emits=["Lead"])),
        "undeclared-event": lambda: m["functions"].append(function(emits=["lead.sennt"])),
        "never-emitted-event": lambda: m["events"].append({"name": "lead.unused"}),
        "unhandled-event": lambda: m["events"][4].pop("description"),
        "fan-in-never-complete": lambda: m["functions"].append(
            function(pattern="fan-in", trigger={"primary": "lead.scored", "wait_for": ["lead.sent"], "correlation_key": "id"})
        ),
        "bad-event-schema": lambda: m["events"][0].update(schema={"type": "nonsense"}),
        "unreachable-handler": lambda: (
            m["events"].extend([{"name": "a.b"}, {"name": "b.a"}]),
            m["functions"].append(function(name="x", trigger={"event": "a.b"}, emits=["b.a"])),
            m["functions"].append(function(name="y", trigger={"event": "b.a"}, emits=["a.b"])),
            m["config"].update(max_hops=3) if "config" in m else m.update(config={"max_hops": 3}),
        ),
        "endless-cycle": lambda: m["functions"].append(function(trigger={"event": "lead.mailed"}, emits=["lead.mailed"])),
        "unreachable-state": lambda: m["agents"].append(
            {**m["agents"][0], "name": "late", "triggers": [{"event": "lead.approved"}], "emits": [],
             "contract": {"output_schema": SCHEMA, "state_in": "won", "state_out": "lost"}}
        ),
        "handler-or-executor": lambda: m["functions"][0].pop("executor"),
        "unknown-executor": lambda: m["functions"][0]["executor"].update(type="templat_engine"),
        "handler-not-allowed": lambda: m["functions"].append(function(handler="os:system")),
        "routing-incomplete": lambda: m["functions"].append(
            {"name": "route", "pattern": "routing", "trigger": {"event": "lead.sent"}, "route_on": "data.x"}
        ),
        "bad-cron": lambda: m["functions"].append(function(pattern="cron", trigger={"cron": "61 * * * *"})),
        "bad-expression": lambda: m["functions"].append(function(trigger={"event": "lead.sent", "if": "data.x >"})),
        "unknown-approval": lambda: m["functions"][0].update(requires_approval="revue"),
        "bad-function-schema": lambda: m["functions"][0].update(schema={"type": 5}),
        "flow-control-not-in-force": lambda: m["functions"][0].update(concurrency={"limit": 1}),
        "missing-instructions": lambda: m["agents"][0].pop("instructions"),
        "output-schema-contract": lambda: m["agents"][0]["contract"].update(
            output_schema={"type": "object", "properties": {}}
        ),
        "unknown-subagent": lambda: m["agents"][0].update(config={"subagents": ["nobody"]}),
        "mcp-server-by-name": lambda: m["agents"][0].update(config={"mcp_servers": [{"command": "sh"}]}),
        "from-db-not-in-force": lambda: m["agents"][0].update(contract={"context_in": {"from_db": ["leads"]}}),
        "human-without-timeout": lambda: m["humans"][0].pop("timeout"),
        "timeout-emits-nothing": lambda: m["humans"][0]["emits"].pop(),
        "escalation-without-target": lambda: m["humans"][0].update(on_timeout="escalate"),
        "bad-form": lambda: m["humans"][0].update(form={"properties": []}),
    }  # fmt: skip
    cases[rule]()
    return m


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_each_rule_finds_its_problem(rule):
    options = {"allowed_handlers": frozenset[str]()} if rule == "handler-not-allowed" else {}

    found = problems(broken(rule), **options)

    assert rule in [name for name, _ in found]


def test_all_problems_are_reported_at_once_in_reading_order_with_places():
    text = (
        "name: many\n"
        "events:\n"
        "  - name: lead.sent\n"
        "functions:\n"
        "  - name: first\n"
        "    trigger: {event: lead.snet}\n"
        "    handler: a:b\n"
        "  - name: first\n"
        "    trigger: {event: lead.sent, if: 'data.x >'}\n"
    )

    found = [
        (problem.line, problem.column, problem.rule)
        for problem in open_text(text, source="many.yaml").problems
    ]

    assert found == [
        (6, 5, "undeclared-event"), (8, 5, "duplicate-name"), (8, 5, "handler-or-executor"), (9, 33, "bad-expression"),
    ]  # fmt: skip


def test_an_outside_event_needs_no_declaration_as_such():
    m = base()
    m["events"][0]["description"] = "nothing emits it"

    assert problems(m) == []


def test_a_cycle_is_allowed_when_a_human_step_is_in_it():
    m = base()
    m["humans"][0]["emits"].append({"event": "lead.sent", "on": "revise"})
    m["events"][0]["outside"] = True

    assert problems(m) == []


def test_a_cycle_is_shown():
    loaded = open_text(to_json(broken("endless-cycle")))

    [problem] = [p for p in loaded.problems if p.rule == "endless-cycle"]

    assert "extra → lead.mailed → extra" in problem.message
