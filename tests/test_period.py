from datetime import UTC, date, datetime

import pytest

from prhub_digest.errors import UsageError
from prhub_digest.models.period import Period, week_label


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_week_in_another_time_zone() -> None:  # H-06
    week = Period.from_week("2026-W06", "Asia/Shanghai")
    merged = {
        1: _moment("2026-02-01T15:59:59Z"),
        2: _moment("2026-02-01T16:00:00Z"),
        3: _moment("2026-02-08T15:59:59Z"),
        4: _moment("2026-02-08T16:00:00Z"),
    }
    assert [number for number, moment in merged.items() if week.holds(moment)] == [2, 3]
    assert week.since == _moment("2026-02-01T16:00:00Z")
    assert week.days == (date(2026, 2, 2), date(2026, 2, 8))


def test_turn_of_the_year() -> None:  # H-07
    assert week_label(datetime(2025, 12, 29, tzinfo=UTC)) == "2026-W01"
    first, sixth = Period.from_week("2026-W01"), Period.from_week("2026-W06")
    assert (first.since, first.until) == (_moment("2025-12-29T00:00:00Z"), _moment("2026-01-05T00:00:00Z"))
    assert (sixth.since, sixth.until) == (_moment("2026-02-02T00:00:00Z"), _moment("2026-02-09T00:00:00Z"))


@pytest.mark.parametrize(
    ("week", "timezone", "words"),
    [
        ("2025-W53", "UTC", "the year 2025 has no ISO week 53"),
        ("2026-W00", "UTC", "has no ISO week 00"),
        ("2026-23", "UTC", "not an ISO week"),
        ("2026-W06 ", "UTC", "not an ISO week"),
        ("2026-W06", "Mars/Olympus", "not a time zone"),
        ("2026-W06", "../etc/passwd", "not a time zone"),
    ],
)
def test_unknown_week_is_refused(week: str, timezone: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Period.from_week(week, timezone)
    assert caught.value.exit_code == 2


def test_dates() -> None:
    days = Period.from_dates("2026-06-01", "2026-06-05")
    assert days.label == "2026-06-01_2026-06-05"
    assert days.days == (date(2026, 6, 1), date(2026, 6, 4))
    for since, until in (("2026-06-05", "2026-06-01"), ("2026-06-01", "2026-06-01")):
        with pytest.raises(UsageError, match="is not before --until"):
            Period.from_dates(since, until)
    with pytest.raises(UsageError, match="is not a date"):
        Period.from_dates("01.06.2026", "2026-06-05")


def test_week_with_a_clock_change_has_other_hours() -> None:
    week = Period.from_week("2026-W13", "Europe/Berlin")
    assert (week.until - week.since).total_seconds() == 167 * 3600


def test_last_complete_week() -> None:
    sunday_evening = _moment("2026-02-08T16:30:00Z")
    assert Period.last_complete_week(sunday_evening).label == "2026-W05"
    assert Period.last_complete_week(sunday_evening, "Asia/Shanghai").label == "2026-W06"


@pytest.mark.parametrize("week", ["9999-W52", "２０２６-W22", "2026-W٢٢"])
def test_weeks_beyond_the_calendar_or_in_other_digits_are_refused(week: str) -> None:
    with pytest.raises(UsageError):
        Period.from_week(week)


@pytest.mark.parametrize("since", ["0001-01-01", "20260525", "2026-W21-1", "２０２６-05-25"])
def test_days_are_written_in_one_way_and_within_the_calendar(since: str) -> None:
    with pytest.raises(UsageError):
        Period.from_dates(since, "2026-06-01", "Asia/Shanghai")
