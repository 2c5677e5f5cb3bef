"""The statistics of a week: every number that a digest prints without a pull request of its own."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, groupby
from statistics import median

from prhub_digest.file_kinds import file_kind
from prhub_digest.models.chunk import Coverage
from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.signals import FlagName, PullRequestSignals, Signals
from prhub_digest.models.stats import Count, Stats, Unit
from prhub_digest.signals.changes import NOISE
from prhub_digest.signals.reverts import standing

_HOT_FILES = 10
_HOT_FILE_PULLS = 2


def compute_stats(
    collection: Collection, pulls: Sequence[PullRequest], signals: Signals, coverages: Sequence[Coverage]
) -> Stats:
    """All counts, each with the pull requests behind it; a group that the source cannot know is absent.

    `signals` must be of the same `pulls`. The order of `pulls` and `coverages` does not matter.
    """
    ordered = sorted(pulls, key=lambda pull: pull.number)
    groups = (
        _pulls(ordered, signals),
        _commits(collection),
        _lines(ordered),
        _tally("areas", ((item.area, item.pull) for item in signals.pulls)),
        _labels(ordered),
        _tally("types", ((item.change_type, item.pull) for item in signals.pulls)),
        _tally("authors", ((pull.author.label, pull.number) for pull in ordered)),
        _reviewers(ordered),
        _hot_files(ordered),
        _flags(signals),
        _threads(signals),
        _hours_to_merge(ordered),
        _coverage(coverages),
    )
    counts = chain.from_iterable(sorted(group, key=lambda count: (-count.value, count.key)) for group in groups)
    return Stats(repository=collection.repository, period=collection.period, counts=tuple(counts))


def _pulls(pulls: Sequence[PullRequest], signals: Signals) -> list[Count]:
    numbers = tuple(pull.number for pull in pulls)
    links = {item.pull: item.reverts for item in signals.pulls if item.reverts is not None}
    return [
        _count("pulls.merged", numbers),
        _count("pulls.net", standing(numbers, links)),
        _count("pulls.reverts", (item.pull for item in signals.pulls if _raised(item, "revert"))),
        _count("pulls.bots", (item.pull for item in signals.pulls if item.bot)),
    ]


def _commits(collection: Collection) -> list[Count]:
    if collection.direct_commits is None:
        return []
    return [Count(path="commits.direct", value=collection.direct_commits, unit="commits")]


def _lines(pulls: Sequence[PullRequest]) -> list[Count]:
    known = [pull for pull in pulls if pull.completeness.diff != "missing"]
    numbers = tuple(pull.number for pull in known)
    return [
        Count(path="lines.added", value=sum(pull.additions for pull in known), unit="lines", pulls=numbers),
        Count(path="lines.deleted", value=sum(pull.deletions for pull in known), unit="lines", pulls=numbers),
    ]


def _labels(pulls: Sequence[PullRequest]) -> list[Count]:
    known = [pull for pull in pulls if pull.labels is not None]
    pairs = ((label, pull.number) for pull in known for label in pull.labels or ())
    return _tally("labels", pairs, _part(len(known), len(pulls)))


def _reviewers(pulls: Sequence[PullRequest]) -> list[Count]:
    """Pull requests by the person who reviewed them: no bots, and nobody on their own work."""
    known = [pull for pull in pulls if pull.reviews is not None]
    pairs = (
        (review.author.label, pull.number)
        for pull in known
        for review in pull.reviews or ()
        if review.state != "pending" and not is_bot(review.author) and not same_person(review.author, pull.author)
    )
    return _tally("reviewers", pairs, _part(len(known), len(pulls)))


def _hot_files(pulls: Sequence[PullRequest]) -> list[Count]:
    """The files that most pull requests changed; lock, generated, vendored and data files apart."""
    pairs = ((file.path, pull.number) for pull in pulls for file in pull.files if file_kind(file.path) not in NOISE)
    hot = [count for count in _tally("files", pairs) if count.value >= _HOT_FILE_PULLS]
    return sorted(hot, key=lambda count: (-count.value, count.key))[:_HOT_FILES]


def _flags(signals: Signals) -> list[Count]:
    """Raised flags, out of the pull requests where the flag is known; a flag known nowhere has no count."""
    known: dict[FlagName, int] = {}
    raised: dict[FlagName, list[int]] = {}
    for item in signals.pulls:
        for flag in item.flags:
            if flag.raised is not None:
                known[flag.name] = known.get(flag.name, 0) + 1
                raised.setdefault(flag.name, []).extend([item.pull] * flag.raised)
    return [_count(f"flags.{name}", raised[name], denominator=known[name]) for name in known]


def _threads(signals: Signals) -> list[Count]:
    pairs = [(item.pull, thread.outcome) for item in signals.pulls for thread in item.threads or ()]
    if all(item.threads is None for item in signals.pulls):
        return []

    def threads(path: str, outcomes: Sequence[str], denominator: int | None = None) -> Count:
        numbers = [number for number, outcome in pairs if outcome in outcomes]
        return Count(
            path=path, value=len(numbers), unit="threads", denominator=denominator, pulls=tuple(sorted(set(numbers)))
        )

    return [
        threads("threads.total", ("open", "done", "deferred", "unknown")),
        threads("threads.open", ("open",), len(pairs)),
        threads("threads.deferred", ("deferred",), len(pairs)),
    ]


def _hours_to_merge(pulls: Sequence[PullRequest]) -> list[Count]:
    """Median and nearest-rank 90th percentile of the hours from opening to merging, one decimal."""
    hours = {
        pull.number: (pull.merged_at - pull.created_at).total_seconds() / 3600
        for pull in pulls
        if pull.created_at is not None and pull.created_at <= pull.merged_at
    }
    if not hours:
        return []
    ordered = sorted(hours.values())
    measures: Mapping[str, Callable[[list[float]], float]] = {
        "median": median,
        "p90": lambda values: values[math.ceil(0.9 * len(values)) - 1],
    }
    return [
        Count(
            path=f"hours_to_merge.{name}",
            value=round(measure(ordered), 1),
            unit="hours",
            denominator=_part(len(hours), len(pulls)),
            pulls=tuple(hours),
        )
        for name, measure in measures.items()
    ]


def _coverage(coverages: Sequence[Coverage]) -> list[Count]:
    """What the model was shown; absent when nothing was chunked."""
    if not coverages:
        return []
    files = [(item.pull, file.shown == "full") for item in coverages for file in item.files]
    lines = sum(item.changed_lines_total for item in coverages)
    everyone = [item.pull for item in coverages]
    part: list[tuple[str, int, Unit, int | None, Iterable[int]]] = [
        ("files", len(files), "files", None, everyone),
        ("files_full", sum(full for _, full in files), "files", len(files), (pull for pull, full in files if full)),
        ("lines", lines, "lines", None, everyone),
        ("lines_shown", sum(item.changed_lines_shown for item in coverages), "lines", lines, everyone),
        (
            "pulls_complete",
            sum(item.complete for item in coverages),
            "pulls",
            len(coverages),
            (item.pull for item in coverages if item.complete),
        ),
    ]
    return [
        Count(path=f"coverage.{key}", value=value, unit=unit, denominator=out_of, pulls=tuple(sorted(set(numbers))))
        for key, value, unit, out_of, numbers in part
    ]


def _tally(group: str, pairs: Iterable[tuple[str, int]], denominator: int | None = None) -> list[Count]:
    """Pull requests by key; the same pair twice counts once."""
    by_key = groupby(sorted(set(pairs)), key=lambda pair: pair[0])
    return [_count(f"{group}.{key}", [number for _, number in found], denominator=denominator) for key, found in by_key]


def _count(path: str, numbers: Iterable[int], *, denominator: int | None = None) -> Count:
    listed = tuple(sorted(numbers))
    return Count(path=path, value=len(listed), unit="pulls", denominator=denominator, pulls=listed)


def _part(known: int, total: int) -> int | None:
    """A denominator is stated when it is not all pull requests."""
    return known if known != total else None


def _raised(item: PullRequestSignals, name: FlagName) -> bool:
    return any(flag.name == name and flag.raised is True for flag in item.flags)
