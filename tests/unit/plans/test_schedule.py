"""The scheduler: earliest and latest times, floats, the critical path; beside a brute-force reference."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.domain.errors import InvalidInput
from tercet.plans.model import Dependency, DependencyType, Plan, PlanPhase, PlanTask
from tercet.plans.network import CyclicPlan, Link, Network
from tercet.plans.schedule import compute_times, schedule
from tercet.plans.working_time import WorkingCalendar

KINDS: tuple[DependencyType, ...] = (
    "finish_to_start",
    "start_to_start",
    "finish_to_finish",
    "start_to_finish",
)


def plan(hours: dict[str, float], *links: tuple[str, str] | tuple[str, str, str, float]) -> Plan:
    tasks = [
        PlanTask(task_id=name, title=f"Task {name}", estimated_hours=length) for name, length in hours.items()
    ]
    dependencies = [
        Dependency(
            from_id=link[0],
            to_id=link[1],
            **({"type": link[2], "lag_hours": link[3]} if len(link) == 4 else {}),
        )
        for link in links
    ]
    return Plan(
        title="P", phases=[PlanPhase(phase_id="p", name="Phase", tasks=tasks)], dependencies=dependencies
    )


def test_the_longest_chain_is_critical_and_the_rest_has_float():
    done = schedule(plan({"a": 8, "b": 16, "c": 4, "d": 8}, ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")))

    assert done.critical_path == ["a", "b", "d"]
    assert done.total_minutes == 32 * 60
    assert (done.times["c"].total_float, done.times["c"].free_float) == (12 * 60, 12 * 60)
    assert (done.times["p"].earliest_start, done.times["p"].earliest_finish) == (0, 32 * 60)


@pytest.mark.parametrize(
    ("kind", "lag", "start"),
    [
        ("finish_to_start", 0, 8), ("finish_to_start", 2, 10), ("finish_to_start", -3, 5), ("start_to_start", 0, 0),
        ("start_to_start", 5, 5), ("finish_to_finish", 0, 4), ("finish_to_finish", 2, 6), ("start_to_finish", 10, 6),
    ],
)  # fmt: skip
def test_each_kind_of_dependency_moves_the_start(kind: str, lag: float, start: int):
    done = schedule(plan({"a": 8, "b": 4}, ("a", "b", kind, lag)))

    assert done.times["b"].earliest_start == start * 60


def test_a_dependency_of_phases_holds_for_all_their_tasks():
    first = PlanPhase(
        phase_id="p1",
        tasks=[PlanTask(task_id="a", estimated_hours=8), PlanTask(task_id="b", estimated_hours=24)],
    )
    second = PlanPhase(phase_id="p2", tasks=[PlanTask(task_id="c", estimated_hours=8)])
    done = schedule(
        Plan(title="P", phases=[first, second], dependencies=[Dependency(from_id="p1", to_id="p2")])
    )

    assert done.times["c"].earliest_start == 24 * 60
    assert done.critical_path == ["b", "c"]


def test_a_cycle_is_refused_and_shown_by_name():
    with pytest.raises(CyclicPlan) as caught:
        schedule(plan({"a": 1, "b": 1, "c": 1, "d": 1}, ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")))

    assert set(caught.value.cycle) == {"a", "b", "c"}
    assert caught.value.cycle[0] == caught.value.cycle[-1]
    assert "'Task a'" in caught.value.message


def test_a_dependency_that_names_nothing_is_refused():
    with pytest.raises(InvalidInput, match="'ghost'"):
        schedule(plan({"a": 1}, ("ghost", "a")))


def test_an_empty_plan_takes_no_time():
    assert schedule(Plan(title="P")).total_minutes == 0


@st.composite
def networks(draw: st.DrawFn) -> Network:
    size = draw(st.integers(1, 7))
    durations = {str(index): draw(st.integers(0, 10)) for index in range(size)}
    links = []
    for after in range(size):
        for before in range(after):
            if draw(st.booleans()):
                kind: DependencyType = draw(st.sampled_from(KINDS))
                links.append(
                    Link(
                        before=str(before), after=str(after), type=kind, lag_minutes=draw(st.integers(-3, 5))
                    )
                )
    return Network(durations=durations, links=links)


@given(networks())
def test_times_are_those_of_relaxation_until_nothing_moves(network: Network):
    times = compute_times(network)

    start = dict.fromkeys(network.durations, 0)
    for _ in range(len(start) + 1):
        for link in network.links:
            start[link.after] = max(start[link.after], _least_start(link, start, network))
    assert {name: t.earliest_start for name, t in times.items()} == start
    end = max(start[name] + network.durations[name] for name in start)
    for name, found in times.items():
        assert found.latest_finish <= end
        assert found.earliest_finish - found.earliest_start == network.durations[name]
        assert found.free_float <= max(found.total_float, found.free_float)
    latest = {name: found.latest_start for name, found in times.items()}
    assert all(latest[link.after] >= _least_start(link, latest, network) for link in network.links)


def _least_start(link: Link, start: dict[str, int], network: Network) -> int:
    point = start[link.before] + (0 if link.type.startswith("start") else network.durations[link.before])
    return point + link.lag_minutes - (network.durations[link.after] if link.type.endswith("finish") else 0)


def test_ten_thousand_tasks_are_scheduled():
    names = [f"t{index}" for index in range(10_000)]
    done = schedule(plan(dict.fromkeys(names, 1.0), *itertools.pairwise(names)))

    assert done.total_minutes == 10_000 * 60
    assert len(done.critical_path) == 10_000


def test_working_time_skips_nights_weekends_and_holidays():
    calendar = WorkingCalendar(holidays=frozenset({date(2026, 11, 25)}))
    monday = date(2026, 11, 23)

    def at(hours: int, *, ends: bool) -> datetime:
        return calendar.at(monday, hours * 60, ends=ends)

    assert at(0, ends=False) == datetime(2026, 11, 23, 9, tzinfo=UTC)
    assert at(8, ends=True) == datetime(2026, 11, 23, 17, tzinfo=UTC)
    assert at(8, ends=False) == datetime(2026, 11, 24, 9, tzinfo=UTC)
    assert at(16, ends=False) == datetime(2026, 11, 26, 9, tzinfo=UTC)
    assert at(32, ends=False) == datetime(2026, 11, 30, 9, tzinfo=UTC)
    assert calendar.at(date(2026, 11, 21), 0, ends=False) == datetime(2026, 11, 23, 9, tzinfo=UTC)


def test_working_time_follows_the_zone_over_a_change_of_the_clocks():
    calendar = WorkingCalendar(zone="Europe/Berlin", starts_at=time(8))

    assert calendar.at(date(2026, 10, 23), 0, ends=False) == datetime(2026, 10, 23, 6, tzinfo=UTC)
    assert calendar.at(date(2026, 10, 23), 8 * 60, ends=False) == datetime(2026, 10, 26, 7, tzinfo=UTC)


@given(st.integers(0, 60 * 8 * 3_000), st.integers(0, 60 * 8 * 100))
def test_more_work_never_ends_earlier(minutes: int, more: int):
    calendar = WorkingCalendar(holidays=frozenset({date(2027, 1, 1), date(2030, 12, 25)}))
    start = date(2026, 11, 23)

    assert calendar.at(start, minutes, ends=True) <= calendar.at(start, minutes + more, ends=True)


@pytest.mark.parametrize(
    "fields", [{"days": frozenset()}, {"days": frozenset({7})}, {"hours_a_day": 0}, {"hours_a_day": 20}]
)
def test_a_calendar_that_cannot_be_is_refused(fields: dict[str, object]):
    with pytest.raises(InvalidInput):
        WorkingCalendar(**fields)  # type: ignore[arg-type]


def test_an_end_beyond_all_calendars_is_refused():
    with pytest.raises(InvalidInput, match="later than any calendar"):
        WorkingCalendar().at(date(2026, 11, 23), 60 * 8 * 10_000_000, ends=True)
