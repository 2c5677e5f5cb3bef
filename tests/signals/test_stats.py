"""A small week, counted by hand."""

import random
from datetime import timedelta
from typing import Any

from signal_builders import AUTHOR, BOT, MONDAY, REVIEWER, change, pull, review, thread

from prhub_digest.models.chunk import Coverage, FileCoverage
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, Completeness, PullRequest
from prhub_digest.models.signals import PullRequestSignals
from prhub_digest.models.stats import Count, Stats
from prhub_digest.signals import compute_signals, compute_stats

PERIOD = Period.from_week("2026-W23")
ASKED = (REVIEWER, "Can this deadlock?")


def opened(number: int, hours: float) -> Any:
    return MONDAY + timedelta(minutes=number) - timedelta(hours=hours)


WEEK = (
    pull(
        11,
        title="Add priority queue",
        files=(change("core/queue.py", 600, 20), change("uv.lock", 40, 40)),
        labels=("scheduler", "feature"),
        merged_by=AUTHOR,
        created_at=opened(11, 10),
        reviews=(review(REVIEWER, "approved", 1), review(REVIEWER, "commented", 2), review(BOT, "commented")),
        threads=(
            thread(ASKED, resolved=False),
            thread(ASKED, (AUTHOR, "In a follow-up PR."), id="t2", resolved=False),
            thread(ASKED, id="t3", resolved=True),
        ),
    ),
    pull(
        12,
        title="fix: lost wake-up",
        author=REVIEWER,
        files=(change("core/queue.py", 12, 3), change("tests/test_queue.py", 30, 0)),
        labels=("scheduler",),
        merged_by=AUTHOR,
        created_at=opened(12, 2.5),
        reviews=(),
        threads=(),
    ),
    pull(13, title='Revert "fix: lost wake-up"', files=(change("core/queue.py", 3, 12),), created_at=opened(13, 1)),
    pull(
        14,
        title="Bump httpx from 0.27 to 0.28",
        author=BOT,
        files=(change("requirements.txt", 1, 1),),
        labels=(),
        reviews=(),
        threads=(),
        merged_by=REVIEWER,
    ),
    pull(15, title="Rework the cache", completeness=Completeness(diff="missing", conversation="unknown")),
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
    count("commits.direct", 2, "commits"),
    count("lines.added", 686, "lines", 11, 12, 13, 14),
    count("lines.deleted", 76, "lines", 11, 12, 13, 14),
    count("areas.core", 3, "pulls", 11, 12, 13),
    count("areas.build", 1, "pulls", 14),
    count("areas.other", 1, "pulls", 15),
    count("labels.scheduler", 2, "pulls", 11, 12, of=3),
    count("labels.feature", 1, "pulls", 11, of=3),
    count("types.dependency", 1, "pulls", 14),
    count("types.feature", 1, "pulls", 11),
    count("types.fix", 1, "pulls", 12),
    count("types.other", 1, "pulls", 15),
    count("types.revert", 1, "pulls", 13),
    count("authors.ada", 3, "pulls", 11, 13, 15),
    count("authors.bo", 1, "pulls", 12),
    count("authors.review-helper[bot]", 1, "pulls", 14),
    count("reviewers.bo", 1, "pulls", 11, of=3),
    count("files.core/queue.py", 3, "pulls", 11, 12, 13),
    count("flags.dependency", 2, "pulls", 11, 14, of=4),
    count("flags.no_approval", 2, "pulls", 12, 14, of=3),
    count("flags.large_change", 1, "pulls", 11, of=4),
    count("flags.missing_tests", 1, "pulls", 11, of=4),
    count("flags.open_threads", 1, "pulls", 11, of=3),
    count("flags.revert", 1, "pulls", 13, of=5),
    count("flags.self_merged", 1, "pulls", 11, of=3),
    count("threads.total", 3, "threads", 11),
    count("threads.deferred", 1, "threads", 11, of=3),
    count("threads.open", 1, "threads", 11, of=3),
    count("hours_to_merge.p90", 10.0, "hours", 11, 12, 13, of=3),
    count("hours_to_merge.median", 2.5, "hours", 11, 12, 13, of=3),
    count("coverage.lines", 745, "lines", 11, 12),
    count("coverage.lines_shown", 545, "lines", 11, 12, of=745),
    count("coverage.files", 4, "files", 11, 12),
    count("coverage.files_full", 2, "files", 12, of=4),
    count("coverage.pulls_complete", 1, "pulls", 12, of=2),
)


def test_a_week_counted_by_hand() -> None:
    stats = compute_stats(collection(), WEEK, compute_signals(WEEK), COVERAGES)
    assert stats == Stats(repository="acme/engine", period=PERIOD, counts=EXPECTED)


def test_the_order_of_the_week_does_not_matter() -> None:
    shuffled = list(WEEK)
    random.Random(7).shuffle(shuffled)
    assert compute_stats(collection(), shuffled, compute_signals(shuffled), COVERAGES[::-1]).counts == EXPECTED


def test_what_a_source_cannot_know_is_absent_not_zero() -> None:
    week = [pull(1, "core/a.py", labels=None, reviews=None, threads=None)]
    stats = compute_stats(collection(direct_commits=None), week, compute_signals(week), ())
    assert sorted({entry.group for entry in stats.counts}) == ["areas", "authors", "flags", "lines", "pulls", "types"]
    assert [entry.key for entry in stats.group("flags")] == ["missing_tests", "dependency", "large_change", "revert"]


def test_an_empty_week() -> None:
    stats = compute_stats(collection(0), (), compute_signals(()), ())
    assert [(entry.path, entry.value) for entry in stats.counts] == [
        ("pulls.bots", 0),
        ("pulls.merged", 0),
        ("pulls.net", 0),
        ("pulls.reverts", 0),
        ("commits.direct", 0),
        ("lines.added", 0),
        ("lines.deleted", 0),
    ]


def test_the_ten_hottest_files() -> None:
    week: list[PullRequest] = [pull(number, *(f"core/f{n:02}.py" for n in range(12))) for number in (1, 2)]
    files = compute_stats(collection(), week, compute_signals(week), ()).group("files")
    assert [entry.key for entry in files] == [f"core/f{n:02}.py" for n in range(10)]


def test_signals_of_one_pull_request() -> None:
    found = compute_signals(WEEK).of(12)
    assert found == PullRequestSignals.model_validate(
        {
            "pull": 12,
            "area": "core",
            "change_type": "fix",
            "bot": False,
            "changed_lines": 45,
            "changed_files": 2,
            "flags": found.flags,
            "threads": (),
            "reverted_by": 13,
            "scores": [
                {"name": "reach", "value": 2},
                {"name": "behaviour", "value": 2},
                {"name": "cost", "value": 0},
                {"name": "risk", "value": 1},
                {"name": "durability", "value": 2},
            ],
        }
    )
