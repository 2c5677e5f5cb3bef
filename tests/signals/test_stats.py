"""A small week, counted by hand; what rules say of its pull requests is given."""

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from signal_builders import AUTHOR, BOT, MONDAY, REVIEWER, change, pull, review, thread

from prhub_digest.models.chunk import Coverage, FileCoverage
from prhub_digest.models.filters import SetAside
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, Comment, Completeness, Person, PullRequest
from prhub_digest.models.signals import Flag, PullRequestSignals, Signals, Tags, ThreadOutcome, Unit
from prhub_digest.models.stats import GROUPS, Count, Stats
from prhub_digest.models.summary import ChangeType
from prhub_digest.signals import compute_stats
from prhub_digest.signals.stats_people import first_review_hours

PERIOD = Period.from_week("2026-W23")
NEWCOMER = Person(login="cy", kind="human")


def opened(number: int, hours: float) -> Any:
    return MONDAY + timedelta(minutes=number) - timedelta(hours=hours)


WEEK = (
    pull(
        11,
        files=(change("core/queue.py", 600, 20), change("uv.lock", 40, 40)),
        labels=("scheduler", "feature"),
        created_at=opened(11, 10),
        reviews=(review(REVIEWER, "approved", -4), review(REVIEWER, "commented", -2), review(BOT, "commented", -9)),
        threads=(),
        first_contribution=False,
    ),
    pull(
        12,
        author=REVIEWER,
        files=(change("core/queue.py", 12, 3), change("tests/test_queue.py", 30, 0)),
        labels=("scheduler",),
        created_at=opened(12, 2.5),
        reviews=(),
        threads=(),
        first_contribution=False,
    ),
    pull(
        13, author=NEWCOMER, files=(change("core/queue.py", 3, 12),), created_at=opened(13, 1), first_contribution=True
    ),
    pull(14, author=BOT, files=(change("requirements.txt", 1, 1),), labels=(), reviews=(), threads=()),
    pull(15, completeness=Completeness(diff="missing", conversation="unknown")),
)


def outcome(name: Any, *, self_review: bool = False) -> ThreadOutcome:
    return ThreadOutcome(
        thread=f"t-{name}",
        path="core/queue.py",
        line=8,
        url=None,
        outcome=name,
        reason="",
        severity="low",
        author_kind="human",
        first_comment="?",
        self_review=self_review,
    )


def known(
    number: int, area: str, kind: ChangeType, lines: int, flags: Mapping[Any, bool | None], **fields: Any
) -> PullRequestSignals:
    found = tuple(Flag(name=name, raised=raised, evidence="") for name, raised in flags.items())
    return PullRequestSignals(
        pull=number,
        area=area,
        change_type=kind,
        changed_lines=lines,
        flags=found,
        scores=(),
        **{"bot": False, "threads": None, **fields},
    )


THREADS = (outcome("open"), outcome("deferred"), outcome("done"), outcome("done", self_review=True))
SIGNALS = Signals(
    areas=(),
    pulls=(
        known(
            11, "core", "feature", 620, {"large_change": True, "self_merged": True, "revert": False}, threads=THREADS
        ).updated(tags=Tags(platforms=("nvidia", "amd"), modules=("queue",))),
        known(12, "core", "fix", 45, {"large_change": False, "self_merged": False, "revert": False}, threads=()),
        known(13, "core", "revert", 15, {"large_change": False, "self_merged": None, "revert": True}),
        known(
            14, "build", "dependency", 2, {"large_change": False, "self_merged": None, "revert": False}, bot=True
        ).updated(threads=(), tags=Tags(platforms=("amd",))),
        known(15, "other", "other", 0, {"large_change": None, "self_merged": None, "revert": False}),
    ),
    units=(
        Unit(kind="series", pulls=(11, 15), standing=(11, 15), announced=2),
        Unit(kind="revert", pulls=(12, 13), standing=()),
        Unit(kind="bump", pulls=(14,), standing=(14,)),
    ),
)

COVERAGES = (
    Coverage(
        pull=11,
        chunks=2,
        tokens_shown=900,
        tokens_total=1000,
        changed_lines_shown=500,
        changed_lines_total=700,
        description_complete=True,
        threads_shown=3,
        threads_total=3,
        files=(
            FileCoverage(path="core/queue.py", shown="partial", changed_lines=620, changed_lines_shown=500),
            FileCoverage(path="uv.lock", shown="name_only", changed_lines=80, changed_lines_shown=0),
        ),
    ),
    Coverage(
        pull=12,
        chunks=1,
        tokens_shown=90,
        tokens_total=90,
        changed_lines_shown=45,
        changed_lines_total=45,
        description_complete=True,
        threads_shown=0,
        threads_total=0,
        files=(
            FileCoverage(path="core/queue.py", shown="full", changed_lines=15, changed_lines_shown=15),
            FileCoverage(path="tests/test_queue.py", shown="full", changed_lines=30, changed_lines_shown=30),
        ),
    ),
)


def collection(direct_commits: int | None = 2) -> Collection:
    return Collection(
        repository="acme/engine",
        source="github",
        period=PERIOD,
        numbers=(11, 12, 13, 14, 15),
        direct_commits=direct_commits,
    )


def count(path: str, value: float, unit: Any, *pulls: int, of: int | None = None) -> Count:
    return Count(path=path, value=value, unit=unit, denominator=of, pulls=pulls)


EXPECTED = (
    count("pulls.merged", 5, "pulls", 11, 12, 13, 14, 15),
    count("pulls.net", 3, "pulls", 11, 14, 15),
    count("pulls.bots", 1, "pulls", 14),
    count("pulls.reverts", 1, "pulls", 13),
    count("period.merged", 5, "pulls"),
    count("period.bots", 1, "pulls", of=5),
    count("period.set_aside", 0, "pulls", of=5),
    count("units.total", 3, "units", 11, 12, 13, 14, 15),
    count("units.standing", 2, "units", 11, 14, 15, of=3),
    count("units.bump", 1, "units", 14, of=3),
    count("units.revert", 1, "units", 12, 13, of=3),
    count("units.series", 1, "units", 11, 15, of=3),
    count("commits.direct", 2, "commits"),
    count("lines.added", 686, "lines", 11, 12, 13, 14),
    count("lines.deleted", 76, "lines", 11, 12, 13, 14),
    count("size.p90", 620.0, "lines", 11, 12, 13, 14, of=4),
    count("size.median", 30.0, "lines", 11, 12, 13, 14, of=4),
    count("sizes.s", 2, "pulls", 12, 13, of=4),
    count("sizes.xl", 1, "pulls", 11, of=4),
    count("sizes.xs", 1, "pulls", 14, of=4),
    count("areas.core", 3, "pulls", 11, 12, 13),
    count("areas.build", 1, "pulls", 14),
    count("areas.other", 1, "pulls", 15),
    count("platforms.amd", 2, "pulls", 11, 14),
    count("platforms.nvidia", 1, "pulls", 11),
    count("modules.queue", 1, "pulls", 11),
    count("labels.scheduler", 2, "pulls", 11, 12, of=3),
    count("labels.feature", 1, "pulls", 11, of=3),
    count("types.dependency", 1, "pulls", 14),
    count("types.feature", 1, "pulls", 11),
    count("types.fix", 1, "pulls", 12),
    count("types.other", 1, "pulls", 15),
    count("types.revert", 1, "pulls", 13),
    count("people.authors", 3, "people", 11, 12, 13, 15),
    count("people.new_authors", 1, "people", 13, of=3),
    count("people.reviewers", 1, "people", 11),
    count("authors.ada", 2, "pulls", 11, 15),
    count("authors.bo", 1, "pulls", 12),
    count("authors.cy", 1, "pulls", 13),
    count("authors.review-helper[bot]", 1, "pulls", 14),
    count("new_authors.cy", 1, "pulls", 13, of=3),
    count("reviewers.bo", 1, "pulls", 11, of=3),
    count("files.core/queue.py", 3, "pulls", 11, 12, 13),
    count("flags.large_change", 1, "pulls", 11, of=4),
    count("flags.revert", 1, "pulls", 13, of=5),
    count("flags.self_merged", 1, "pulls", 11, of=2),
    count("threads.total", 3, "threads", 11),
    count("threads.deferred", 1, "threads", 11, of=3),
    count("threads.done", 1, "threads", 11, of=3),
    count("threads.open", 1, "threads", 11, of=3),
    count("threads.self_review", 1, "threads", 11),
    count("threads.answered", 0, "threads", of=3),
    count("threads.disputed", 0, "threads", of=3),
    count("threads.unknown", 0, "threads", of=3),
    count("hours_to_first_review.median", 5.8, "hours", 11, of=1),
    count("hours_to_first_review.p90", 5.8, "hours", 11, of=1),
    count("hours_to_merge.p90", 10.0, "hours", 11, 12, 13, of=3),
    count("hours_to_merge.median", 2.5, "hours", 11, 12, 13, of=3),
    count("coverage.lines", 745, "lines", 11, 12),
    count("coverage.lines_shown", 545, "lines", 11, 12, of=745),
    count("coverage.files", 4, "files", 11, 12),
    count("coverage.files_full", 2, "files", 12, of=4),
    count("coverage.pulls_complete", 1, "pulls", 12, of=2),
)


def test_a_week_counted_by_hand() -> None:
    stats = compute_stats(collection(), WEEK, SIGNALS, COVERAGES)
    assert stats.counts == EXPECTED
    assert (stats.repository, stats.period) == ("acme/engine", PERIOD)
    assert tuple(dict.fromkeys(entry.group for entry in stats.counts)) == GROUPS
    assert Stats.model_validate_json(stats.to_json()) == stats


def test_the_order_of_the_week_does_not_matter() -> None:
    shuffled, signals = list(WEEK), list(SIGNALS.pulls)
    random.Random(7).shuffle(shuffled)
    random.Random(8).shuffle(signals)
    mixed = SIGNALS.updated(pulls=tuple(signals), units=SIGNALS.units[::-1])
    assert compute_stats(collection(), shuffled, mixed, COVERAGES[::-1]).counts == EXPECTED


def of_pull(*pulls: PullRequest, **fields: Any) -> Stats:
    signals = tuple(known(pull.number, "core", "fix", 20, {}, **fields) for pull in pulls)
    return compute_stats(collection(None), pulls, Signals(areas=(), pulls=signals), ())


def test_what_a_source_cannot_know_is_absent_not_zero() -> None:
    stats = of_pull(pull(1, "core/a.py", labels=None, reviews=None, threads=None))
    groups = ["areas", "authors", "lines", "people", "period", "pulls", "size", "sizes", "types"]
    assert sorted({entry.group for entry in stats.counts}) == groups
    assert [entry.key for entry in stats.group("people")] == ["authors"]


def test_no_threads_at_all_is_said_as_such() -> None:
    assert of_pull(pull(1), threads=()).value("threads.total") == 0


def test_an_empty_week() -> None:
    stats = compute_stats(collection(0), (), Signals(areas=(), pulls=()), ())
    assert {entry.path for entry in stats.counts} == {
        *("pulls.bots", "pulls.merged", "pulls.net", "pulls.reverts", "period.bots", "period.merged"),
        *("period.set_aside", "commits.direct", "lines.added", "lines.deleted"),
    }
    assert {entry.value for entry in stats.counts} == {0}


def test_the_share_of_bots_counts_those_that_are_set_aside() -> None:
    aside = (
        SetAside(number=1, title="Bump", reason="bot", detail="renovate"),
        SetAside(number=2, title="Port", reason="base", detail="release/1"),
    )
    stats = compute_stats(collection().updated(set_aside=aside), WEEK, SIGNALS, ())
    told = {entry.key: (entry.value, entry.denominator) for entry in stats.group("period")}
    assert told == {"merged": (7, None), "set_aside": (2, 7), "bots": (2, 7)}


def test_the_ten_hottest_files() -> None:
    week = [pull(number, *(f"core/f{n:02}.py" for n in range(12)), "go.sum") for number in (1, 2)]
    assert [entry.key for entry in of_pull(*week).group("files")] == [f"core/f{n:02}.py" for n in range(10)]


@pytest.mark.parametrize(("lines", "size"), [(0, "xs"), (9, "xs"), (10, "s"), (199, "m"), (499, "l"), (500, "xl")])
def test_sizes(lines: int, size: str) -> None:
    signals = Signals(areas=(), pulls=(known(1, "core", "fix", lines, {}),))
    assert [one.key for one in compute_stats(collection(), [pull(1)], signals, ()).group("sizes")] == [size]


def test_median_and_p90() -> None:
    week = [pull(number, created_at=opened(number, number)) for number in range(1, 21)]
    stats = of_pull(*week)
    assert (stats.value("hours_to_merge.median"), stats.value("hours_to_merge.p90")) == (10.5, 18.0)


def test_nobody_is_new_where_it_is_not_known_and_bots_never_are() -> None:
    week = [pull(1), pull(2, author=BOT), pull(3, first_contribution=False)]
    stats = of_pull(*week)
    assert stats.group("new_authors") == ()
    assert (stats.at("people.new_authors").value, stats.at("people.new_authors").denominator) == (0, 1)
    assert stats.value("people.authors") == 1


def remark(author: Person, hours: float) -> Any:
    comment = Comment(id="c", author=author, body="?", created_at=MONDAY + timedelta(hours=hours))
    return thread(resolved=False).updated(comments=(comment,))


FIRST: dict[str, tuple[dict[str, Any], float | None]] = {
    "a review": ({"reviews": (review(REVIEWER, "approved", -6),)}, 4.0),
    "the first of several": ({"reviews": (review(REVIEWER, "approved", -1), review(NEWCOMER, "commented", -7))}, 3.0),
    "a review comment": ({"reviews": (), "threads": (remark(REVIEWER, -8),)}, 2.0),
    "the author's own": ({"reviews": (review(AUTHOR, "commented", -6),), "threads": (remark(AUTHOR, -7),)}, None),
    "a bot's": ({"reviews": (review(BOT, "commented", -6),), "threads": (remark(BOT, -7),)}, None),
    "after the merge": ({"reviews": (review(REVIEWER, "approved", 6),)}, None),
    "before the opening": ({"reviews": (review(REVIEWER, "approved", -11),)}, None),
    "pending": ({"reviews": (review(REVIEWER, "pending", -6),)}, None),
    "a deleted account": ({"reviews": (review(Person(kind="deleted"), "commented", -6),)}, 4.0),
    "none": ({"reviews": (), "threads": ()}, None),
    "not known": ({}, None),
    "opened at an unknown time": ({"created_at": None, "reviews": (review(REVIEWER, "approved", -6),)}, None),
}


@pytest.mark.parametrize(("fields", "hours"), FIRST.values(), ids=FIRST.keys())
def test_first_review_hours(fields: dict[str, Any], hours: float | None) -> None:
    given = {"created_at": MONDAY - timedelta(hours=10), **fields}
    assert first_review_hours(pull(1, **given)) == hours
