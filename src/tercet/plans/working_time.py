"""Working calendars: which hours count, and where so many of them end."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tercet.domain.errors import InvalidInput

_DAY_MINUTES = 24 * 60
_MOST_DAYS = 200 * 366


@dataclass(frozen=True, kw_only=True)
class WorkingCalendar:
    """Working days of so many hours from `starts_at`, in a time zone, without holidays: Monday to Friday, 9 to 17."""

    hours_a_day: float = 8.0
    starts_at: time = time(9)
    days: frozenset[int] = frozenset({0, 1, 2, 3, 4})
    """0 is Monday."""
    holidays: frozenset[date] = field(default_factory=frozenset)
    zone: str = "UTC"

    def __post_init__(self) -> None:
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise InvalidInput(
                f"there is no time zone {self.zone[:100]!r}", hint="Europe/Berlin, UTC"
            ) from error
        minutes = self.starts_at.hour * 60 + self.starts_at.minute + self.hours_a_day * 60
        if not self.days or not self.days <= set(range(7)):
            raise InvalidInput("a working calendar needs days of the week, 0 (Monday) to 6")
        if not 0 < self.hours_a_day <= 24 or minutes > _DAY_MINUTES:
            raise InvalidInput(
                "the working hours have to lie within one day", hint="start earlier, or work less"
            )

    @property
    def minutes_a_day(self) -> int:
        """Working minutes of a day."""
        return round(self.hours_a_day * 60)

    def is_working_day(self, day: date) -> bool:
        """Return whether anybody works on a day."""
        return day.weekday() in self.days and day not in self.holidays

    def at(self, start: date, minutes: int, *, ends: bool) -> datetime:
        """Return when so many working minutes after the start of `start` have passed, in UTC.

        At the border of two days an end belongs to the evening, a start to the next morning. Raises
        InvalidInput beyond two hundred years.
        """
        full_days, rest = divmod(minutes, self.minutes_a_day)
        if ends and rest == 0 and full_days > 0:
            full_days, rest = full_days - 1, self.minutes_a_day
        day = self._nth_working_day(start, full_days)
        local = datetime.combine(day, self.starts_at, ZoneInfo(self.zone))
        # Within the day by the wall clock: a day of work has its hours also when the clocks change at night.
        return (local + timedelta(minutes=rest)).astimezone(UTC)

    def _nth_working_day(self, start: date, number: int) -> date:
        day, left = start, number
        for _ in range(_MOST_DAYS):
            if self.is_working_day(day):
                if left == 0:
                    return day
                # Whole weeks at once, where no holiday can lie.
                weeks = left // len(self.days)
                if weeks > 1 and not self._has_holiday_from(day):
                    try:
                        day += timedelta(weeks=weeks)
                    except OverflowError:
                        break
                    left -= weeks * len(self.days)
                    continue
                left -= 1
            try:
                day += timedelta(days=1)
            except OverflowError:
                break
        raise InvalidInput("the plan ends later than any calendar", hint="look for durations that cannot be")

    def _has_holiday_from(self, day: date) -> bool:
        return any(day <= holiday for holiday in self.holidays)
