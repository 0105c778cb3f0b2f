"""Critical path method: earliest and latest times, floats, the critical path (Kelley and Walker 1959; PMBOK: FS, SS, FF, SF)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime

from tercet.plans.model import Plan
from tercet.plans.network import FINISH, START, Link, Network, build_network
from tercet.plans.working_time import WorkingCalendar


@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """An activity's times in working minutes from the plan's start."""

    earliest_start: int
    earliest_finish: int
    latest_start: int
    latest_finish: int
    free_float: int

    @property
    def total_float(self) -> int:
        """How much later it may start without making the plan longer."""
        return self.latest_start - self.earliest_start

    @property
    def is_critical(self) -> bool:
        """Whether a delay of it is a delay of the plan."""
        return self.total_float <= 0


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Times of all tasks and phases, by id."""

    times: dict[str, Times]
    total_minutes: int
    critical_path: list[str]
    """Ids of the critical tasks, in the order of their start."""

    def planned(self, name: str, calendar: WorkingCalendar, start: date) -> tuple[datetime, datetime]:
        """Return when an activity is planned to start and to finish, in UTC."""
        times = self.times[name]
        begins = calendar.at(start, times.earliest_start, ends=False)
        is_milestone = times.earliest_finish == times.earliest_start
        return begins, begins if is_milestone else calendar.at(start, times.earliest_finish, ends=True)


def schedule(plan: Plan) -> Schedule:
    """Schedule a plan. Raises CyclicPlan, InvalidInput for a dependency that names nothing."""
    network = build_network(plan)
    names = {phase.phase_id: phase.name for phase in plan.phases} | {t.task_id: t.title for t in plan.tasks}
    times = compute_times(network, names)
    out = {task.task_id: times[task.task_id] for task in plan.tasks}
    for phase in plan.phases:
        first, last = times[phase.phase_id + START], times[phase.phase_id + FINISH]
        inner = [out[task.task_id] for task in phase.tasks]
        out[phase.phase_id] = Times(
            earliest_start=min((t.earliest_start for t in inner), default=first.earliest_start),
            earliest_finish=last.earliest_finish,
            latest_start=first.latest_start,
            latest_finish=last.latest_finish,
            free_float=last.free_float,
        )
    critical = [task.task_id for task in plan.tasks if out[task.task_id].is_critical]
    return Schedule(
        times=out,
        total_minutes=max((t.earliest_finish for t in times.values()), default=0),
        critical_path=sorted(
            critical, key=lambda name: (out[name].earliest_start, out[name].earliest_finish)
        ),
    )


def compute_times(network: Network, names: dict[str, str] | None = None) -> dict[str, Times]:
    """Return the times of every activity: forward for the earliest, backward for the latest."""
    order = network.order(names or {})
    into: dict[str, list[Link]] = defaultdict(list)
    out_of: dict[str, list[Link]] = defaultdict(list)
    for link in network.links:
        into[link.after].append(link)
        out_of[link.before].append(link)
    start: dict[str, int] = {}
    for name in order:
        length = network.durations[name]
        start[name] = max([0, *(_earliest(link, start, network.durations, length) for link in into[name])])
    end = max((start[name] + network.durations[name] for name in order), default=0)
    latest: dict[str, int] = {}
    for name in reversed(order):
        length = network.durations[name]
        latest[name] = min(
            [end, *(_latest(link, latest, network.durations, length) for link in out_of[name])]
        )
    return {
        name: Times(
            earliest_start=start[name],
            earliest_finish=start[name] + network.durations[name],
            latest_start=latest[name] - network.durations[name],
            latest_finish=latest[name],
            free_float=_free_float(name, out_of[name], start, network.durations, end),
        )
        for name in order
    }


def _earliest(link: Link, start: dict[str, int], durations: dict[str, int], length: int) -> int:
    from_point = start[link.before] + (0 if link.type.startswith("start") else durations[link.before])
    return from_point + link.lag_minutes - (length if link.type.endswith("finish") else 0)


def _latest(link: Link, latest: dict[str, int], durations: dict[str, int], length: int) -> int:
    to_point = latest[link.after] - (0 if link.type.endswith("finish") else durations[link.after])
    return to_point - link.lag_minutes + (length if link.type.startswith("start") else 0)


def _free_float(
    name: str, links: list[Link], start: dict[str, int], durations: dict[str, int], end: int
) -> int:
    gaps = [end - start[name] - durations[name]]
    for link in links:
        from_point = start[name] + (0 if link.type.startswith("start") else durations[name])
        to_point = start[link.after] + (durations[link.after] if link.type.endswith("finish") else 0)
        gaps.append(to_point - link.lag_minutes - from_point)
    return min(gaps)
