"""Plans from outside: real runs, plan JSON, CSV; what is wrong is named, the rest is imported."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.domain.errors import InvalidInput, TercetError, TooLarge
from tercet.plans.exporting import write_csv, write_ical, write_json
from tercet.plans.model import Dependency, Plan, PlanPhase, PlanSubtask, PlanTask
from tercet.plans.outline import outline
from tercet.plans.reading import archive
from tercet.plans.reading.archive import files_of, files_of_zip
from tercet.plans.reading.plan_csv import read_plan_csv
from tercet.plans.reading.plan_json import read_plan_json
from tercet.plans.reading.planexe import read_planexe
from tercet.plans.reading.usage import read_overview, read_usage, totals
from tercet.plans.schedule import schedule
from tercet.plans.working_time import WorkingCalendar

RUNS = Path(__file__).parents[4] / "shared" / "data" / "planexe"
real_runs = pytest.mark.skipif(not RUNS.is_dir(), reason=f"the real PlanExe runs are not at {RUNS}")


@real_runs
@pytest.mark.parametrize(
    ("name", "phases", "tasks", "subtasks"),
    [("20250321_silo", 7, 44, 200), ("20260201_yellowstone_evacuation", 7, 28, 126)],
)
def test_a_real_run_imports_completely(name: str, phases: int, tasks: int, subtasks: int):
    plan, problems = read_planexe(files_of(RUNS / name))

    assert (len(plan.phases), len(list(plan.tasks))) == (phases, tasks)
    assert sum(len(task.subtasks) for task in plan.tasks) == subtasks
    assert {problem.rule for problem in problems} <= {
        "explanation-count",
        "impossible-duration",
        "dangling-dependency",
    }
    assert plan.goal
    assert plan.roles_required
    assert schedule(plan).critical_path


@real_runs
def test_sequential_siblings_make_one_chain_of_a_real_run():
    plan, _ = read_planexe(files_of(RUNS / "20250321_silo"), sequential_siblings=True)
    apart, _ = read_planexe(files_of(RUNS / "20250321_silo"))

    assert schedule(plan).total_minutes > schedule(apart).total_minutes
    order = [task.task_id for task in plan.phases[0].tasks]
    starts = [schedule(plan).times[name].earliest_start for name in order]
    assert starts == sorted(starts)


@real_runs
def test_the_usage_of_a_real_run_adds_up_to_its_own_overview_to_the_last_digit():
    files = files_of(RUNS / "20250321_silo")
    calls, problems = read_usage(files)
    sums = totals(calls)

    assert problems == []
    for model, overview in read_overview(files).items():
        assert sums[model]["total_cost"] == overview["total_cost"]
        for name in ("calls", "input_tokens", "output_tokens", "thinking_tokens"):
            assert sums[model][name] == overview[name]
    [failed] = [call for call in calls if not call.success]
    assert failed.flags == ["failed", "no_cost"]


TREE = {
    "id": "root",
    "description": "A small plan",
    "task_children": [
        {
            "id": "p1",
            "description": "First",
            "task_children": [
                {
                    "id": "t1",
                    "description": "One",
                    "task_children": [
                        {"id": "s1", "description": "Step", "extra_fields": {"resources_needed": ["a pen"]}}
                    ],
                },
                {"id": "t2", "description": "Two"},
            ],
        },
        {"id": "p2", "description": "Second", "task_children": [{"id": "t3", "description": "Three"}]},
    ],
}
DURATIONS = [
    {"task_id": "t1", "days_min": 1, "days_realistic": 2, "days_max": 3},
    {"task_id": "t2", "days_min": -1, "days_realistic": -1, "days_max": 1},
    {"task_id": "t9", "days_min": 1, "days_realistic": 1, "days_max": 1},
]


def edges(after: str, *befores: str, reasons: tuple[str, ...] = ()) -> dict[str, Any]:
    entry = {
        "dependent_task_id": after,
        "depends_on_task_id_list": list(befores),
        "depends_on_task_explanation_list": list(reasons),
    }
    return {"task_dependency_details": [entry]}


def run(**replaced: Any) -> dict[str, bytes]:
    bodies: dict[str, Any] = {
        "001-2-plan.txt": b"Do something small.",
        "008-2-find_team_members.json": [{"category": "Builder"}],
        "021-task_dependencies_raw.json": edges("t3", "t1", "ghost", reasons=("because",)),
        "022-2-task_durations.json": DURATIONS,
        "023-3-tree.json": {"wbs_project": TREE},
    } | replaced
    given = {name: body for name, body in bodies.items() if body is not None}
    return {
        name: body if isinstance(body, bytes) else json.dumps(body).encode() for name, body in given.items()
    }


def test_what_is_wrong_in_a_run_is_named_and_the_rest_imports():
    plan, problems = read_planexe(run())

    named = [(p.rule, p.message) for p in problems if p.rule != "explanation-count"]
    for (rule, message), (wanted, name) in zip(
        named,
        (("impossible-duration", "t2"), ("unknown-task", "t9"), ("dangling-dependency", "ghost")),
        strict=True,
    ):
        assert rule == wanted
        assert name in message
    assert [task.estimated_hours for task in plan.tasks] == [16, None, None]
    assert [(d.from_id, d.to_id, d.reason) for d in plan.dependencies] == [("t1", "t3", "because")]
    assert plan.phases[0].tasks[0].subtasks[0].description == "resources needed: a pen"
    assert (plan.goal, plan.roles_required) == ("Do something small.", ["Builder"])


def test_an_edge_of_a_subtask_counts_for_its_task():
    plan, _ = read_planexe(run(**{"021-task_dependencies_raw.json": edges("t3", "s1")}))

    assert [(d.from_id, d.to_id) for d in plan.dependencies] == [("t1", "t3")]


def test_sibling_order_gives_way_to_an_edge_that_says_otherwise():
    files = run(**{"021-task_dependencies_raw.json": edges("t1", "t2")})
    plan, problems = read_planexe(files, sequential_siblings=True)

    assert "sibling-order" in {problem.rule for problem in problems}
    assert schedule(plan).times["t1"].earliest_start == 0


NO_TREES: tuple[Any, ...] = (
    None, b"", b"not json", {"wbs_project": []}, {}, {"wbs_project": {"task_children": [{"description": "no id"}]}},
)  # fmt: skip


@pytest.mark.parametrize("tree", NO_TREES)
def test_a_run_without_a_tree_is_refused(tree: Any):
    with pytest.raises(InvalidInput):
        read_planexe(run(**{"023-3-tree.json": tree}))


def zipped(**entries: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def test_a_zip_is_read_like_its_folder(tmp_path: Path):
    (tmp_path / "run.zip").write_bytes(zipped(**{f"run__{name}": content for name, content in run().items()}))

    assert files_of(tmp_path / "run.zip") == run()


@pytest.mark.parametrize("name", ["..__..__etc__passwd", "__etc__passwd", "a__..__..__b", "C:__x", "..\\x"])
def test_a_zip_that_leads_out_of_itself_is_refused(name: str):
    with pytest.raises(InvalidInput, match="leads out"):
        files_of_zip(zipped(**{name: b"x"}))


def test_sizes_are_capped_also_when_the_zip_is_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive, "LARGEST_FILE", 10_000)
    monkeypatch.setattr(archive, "MOST_BYTES", 25_000)
    monkeypatch.setattr(archive, "MOST_FILES", 5)

    for entries in ({"a": b"0" * 10_001}, dict.fromkeys("abc", b"0" * 9000), dict.fromkeys("abcdef", b"")):
        with pytest.raises(TooLarge):
            files_of_zip(zipped(**entries))


READERS: tuple[Callable[[bytes], object], ...] = (
    files_of_zip,
    read_plan_json,
    lambda raw: read_plan_csv(raw, title="x"),
    lambda raw: read_planexe({"023-3-x.json": raw}),
)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_readers_fail_otherwise_than_with_an_error_of_ours(content: bytes):
    for read in READERS:
        with contextlib.suppress(TercetError):
            read(content)


MAIL = PlanSubtask(subtask_id="a1", title="Mail", action="send_email", params={"to": "x@example.org"})
SMALL = Plan(
    title="Small", goal="Grow",
    phases=[
        PlanPhase(
            phase_id="p", name="Phase, first",
            tasks=[
                PlanTask(task_id="a", title="=A()", estimated_hours=8, assignee_role="Builder", risk_tier=2, subtasks=[MAIL]),
                PlanTask(task_id="b", title="B\nsecond line", estimated_hours=4.5, prerequisites=["a"]),
            ],
        )
    ],
    dependencies=[Dependency(from_id="a", to_id="b", type="start_to_start", lag_hours=2)],
)  # fmt: skip


def test_json_reads_back_as_it_was_written():
    assert read_plan_json(write_json(SMALL)) == (SMALL, [])


def test_csv_reads_back_what_it_holds():
    plan, problems = read_plan_csv(write_csv(SMALL).encode(), title="Small")

    assert problems == []
    assert [(t.task_id, t.title, t.estimated_hours, t.risk_tier, t.prerequisites) for t in plan.tasks] == [
        ("a", "=A()", 8, 2, []), ("b", "B\nsecond line", 4.5, 1, ["a"]),
    ]  # fmt: skip
    assert plan.phases[0].tasks[0].subtasks[0].action == "send_email"
    assert "\r\n" in write_csv(SMALL)
    assert ",=A()" not in write_csv(SMALL)


def test_calendar_programs_read_the_planned_times():
    from icalendar import Calendar

    raw = write_ical(
        SMALL, calendar=WorkingCalendar(), start=date(2026, 11, 23), now=datetime(2026, 11, 21, tzinfo=UTC)
    )
    events = Calendar.from_ical(raw).walk("VEVENT")

    assert [(str(e["summary"]), e.decoded("dtstart"), e.decoded("dtend")) for e in events] == [
        ("=A()", datetime(2026, 11, 23, 9, tzinfo=UTC), datetime(2026, 11, 23, 17, tzinfo=UTC)),
        ("B\nsecond line", datetime(2026, 11, 24, 9, tzinfo=UTC), datetime(2026, 11, 24, 13, 30, tzinfo=UTC)),
    ]


def test_table_rows_that_cannot_be_are_named():
    table = b"task_id,task,estimated_hours,prerequisites\na,One,-3,\n,Nameless,1,\nb,Two,nan,a ghost\n"
    plan, problems = read_plan_csv(table, title="T")

    rules = ["impossible-number", "missing-task-id", "impossible-number", "dangling-dependency"]
    assert [problem.rule for problem in problems] == rules
    assert [(t.task_id, t.estimated_hours, t.prerequisites) for t in plan.tasks] == [
        ("a", None, []),
        ("b", None, ["a"]),
    ]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"title": ""}', b'{"title": "x", "phases": [{}]}', b'{"title": "x", "surprise": 1}',
     b'{"title": "x", "phases": [{"phase_id": "p", "tasks": [{"task_id": "p"}]}]}'],
)  # fmt: skip
def test_a_plan_that_breaks_a_rule_is_refused_by_field(body: bytes):
    with pytest.raises(InvalidInput):
        read_plan_json(body)


def test_lines_of_usage_that_are_no_calls_are_named():
    raw = b'{"timestamp": "t", "success": true, "model": "m", "cost_usd": 0.1}\nnonsense\n{"model": "m"}\n\n'
    calls, problems = read_usage({"usage_metrics.jsonl": raw})

    assert [(call.cost_usd, call.flags) for call in calls] == [(Decimal("0.1"), [])]
    assert [problem.place for problem in problems] == [
        "usage_metrics.jsonl: line 2",
        "usage_metrics.jsonl: line 3",
    ]


def test_the_outline_shows_phases_tasks_and_subtasks_with_their_times():
    rows = outline(SMALL, schedule(SMALL))

    assert [(row.depth, row.id, row.hours, row.is_critical) for row in rows] == [
        (0, "p", 12.5, True), (1, "a", 8, True), (2, "a1", None, False), (1, "b", 4.5, True),
    ]  # fmt: skip
