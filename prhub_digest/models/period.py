"""The half-open interval `[since, until)` that a digest is about."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AwareDatetime

from prhub_digest.errors import UsageError
from prhub_digest.models.base import Record

_WEEK = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Period(Record):
    """`label` is an ISO week (`2026-W23`) or two dates (`2026-06-01_2026-06-05`, the second one excluded)."""

    label: str
    since: AwareDatetime
    until: AwareDatetime
    timezone: str

    @classmethod
    def from_week(cls, week: str, timezone: str = "UTC") -> Self:
        """The ISO week `YYYY-Www`, Monday 00:00 to the next Monday 00:00 in `timezone`.

        Raises:
            UsageError: the week does not exist (2025 has no week 53) or is not written like this.
        """
        match = _WEEK.fullmatch(week)
        if match is None:
            raise UsageError(f"--week {week!r} is not an ISO week; write it like 2026-W23")
        try:
            monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
            following = monday + timedelta(days=7)
        except ValueError:
            raise UsageError(f"--week {week}: the year {match[1]} has no ISO week {match[2]}") from None
        except OverflowError:
            raise UsageError(f"--week {week}: no calendar here reaches that far") from None
        return cls._between(week, monday, following, timezone)

    @classmethod
    def from_dates(cls, since: str, until: str, timezone: str = "UTC") -> Self:
        """From the start of the day `since` to the start of the day `until` (excluded), both `YYYY-MM-DD`.

        Raises:
            UsageError: a date is not written like this, or `since` is not before `until`.
        """
        first, last = _day("--since", since), _day("--until", until)
        if first >= last:
            raise UsageError(f"--since {since} is not before --until {until}; the day of --until is not included")
        return cls._between(f"{first}_{last}", first, last, timezone)

    @classmethod
    def last_complete_week(cls, now: datetime, timezone: str = "UTC") -> Self:
        """The ISO week before the one that holds `now`."""
        return cls.from_week(week_label(now.astimezone(_zone(timezone)) - timedelta(days=7)), timezone)

    @classmethod
    def _between(cls, label: str, first: date, last: date, timezone: str) -> Self:
        zone = _zone(timezone)
        try:
            since, until = (datetime.combine(day, time(), zone).astimezone(UTC) for day in (first, last))
        except OverflowError:
            raise UsageError(f"{label}: no calendar here reaches that far") from None
        return cls(label=label, since=since, until=until, timezone=timezone)

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day in it, in its time zone."""
        zone = _zone(self.timezone)
        return self.since.astimezone(zone).date(), (self.until - timedelta(seconds=1)).astimezone(zone).date()

    def holds(self, moment: datetime) -> bool:
        return self.since <= moment < self.until


def week_label(moment: datetime) -> str:
    """The ISO week of a moment, in the moment's own time zone: 2025-12-29 is in `2026-W01`."""
    year, week, _ = moment.isocalendar()
    return f"{year}-W{week:02}"


def _day(option: str, text: str) -> date:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass  # such as the 31st of June
    raise UsageError(f"{option} {text!r} is not a date; write it like 2026-06-01")


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"--tz {name!r} is not a time zone; write it like UTC or Asia/Shanghai") from None
