"""The statistics of a week: every number that a digest prints without a pull request of its own."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import get_args

from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.chunk import Coverage
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.signals import FlagName, OutcomeName, PullRequestSignals, Signals, UnitKind
from prhub_digest.models.stats import Count, Stats, Unit
from prhub_digest.signals.changes import BY_PATH, NOISE
from prhub_digest.signals.counts import count_of, distribution, part, tally
from prhub_digest.signals.stats_people import (
    author_counts,
    hours_to_first_review,
    hours_to_merge,
    new_author_counts,
    people_counts,
    period_counts,
    reviewer_counts,
)

_HOT_FILES = 10
_HOT_FILE_PULLS = 2
# Changed lines without noise, up to and including; what is more is `xl`.
_SIZES = {"xs": 9, "s": 49, "m": 199, "l": 499}


def compute_stats(
    collection: Collection,
    pulls: Sequence[PullRequest],
    signals: Signals,
    coverages: Sequence[Coverage],
    *,
    kinds: FileKinds = BY_PATH,
) -> Stats:
    """All counts, each with the pull requests behind it; a group that the source cannot know is absent.

    `signals` must be of the same `pulls`. The order of `pulls` and `coverages` does not matter.
    """
    ordered = sorted(pulls, key=lambda pull: pull.number)
    groups = (
        _pulls(ordered, signals),
        period_counts(collection, ordered),
        _units(signals),
        _commits(collection),
        _lines(ordered),
        *_sizes(ordered, signals),
        tally("areas", ((item.area, item.pull) for item in signals.pulls)),
        tally("platforms", ((key, item.pull) for item in signals.pulls for key in item.tags.platforms)),
        tally("modules", ((key, item.pull) for item in signals.pulls for key in item.tags.modules)),
        _labels(ordered),
        tally("types", ((item.change_type, item.pull) for item in signals.pulls)),
        people_counts(ordered),
        author_counts(ordered),
        new_author_counts(ordered),
        reviewer_counts(ordered),
        _hot_files(ordered, kinds),
        _flags(signals),
        _threads(signals),
        hours_to_first_review(ordered),
        hours_to_merge(ordered),
        _coverage(coverages),
    )
    counts = chain.from_iterable(sorted(group, key=lambda count: (-count.value, count.key)) for group in groups)
    return Stats(repository=collection.repository, period=collection.period, counts=tuple(counts))


def _pulls(pulls: Sequence[PullRequest], signals: Signals) -> list[Count]:
    return [
        count_of("pulls.merged", (pull.number for pull in pulls)),
        count_of("pulls.net", (number for unit in signals.units for number in unit.standing)),
        count_of("pulls.reverts", (item.pull for item in signals.pulls if _raised(item, "revert"))),
        count_of("pulls.bots", (item.pull for item in signals.pulls if item.bot)),
    ]


def _units(signals: Signals) -> list[Count]:
    """All units, those of which something stands at the end, and those of each kind."""
    chosen = {"total": signals.units, "standing": [unit for unit in signals.units if unit.standing]}
    chosen |= {kind: [unit for unit in signals.units if unit.kind == kind] for kind in get_args(UnitKind)}
    return [
        Count(
            path=f"units.{key}",
            value=len(units),
            unit="units",
            denominator=None if key == "total" else len(signals.units),
            pulls=tuple(sorted(number for unit in units for number in unit.pulls)),
        )
        for key, units in chosen.items()
        if units
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


def _sizes(pulls: Sequence[PullRequest], signals: Signals) -> tuple[list[Count], list[Count]]:
    """Changed lines of a pull request without noise: median and 90th percentile, and pull requests by class."""
    missing = {pull.number for pull in pulls if pull.completeness.diff == "missing"}
    lines = {item.pull: item.changed_lines for item in signals.pulls if item.pull not in missing}
    classes = (
        (next((name for name, most in _SIZES.items() if size <= most), "xl"), number) for number, size in lines.items()
    )
    return (
        distribution("size", lines, "lines", len(pulls)),
        tally("sizes", classes, part(len(lines), len(pulls))),
    )


def _labels(pulls: Sequence[PullRequest]) -> list[Count]:
    known = [pull for pull in pulls if pull.labels is not None]
    pairs = ((label, pull.number) for pull in known for label in pull.labels or ())
    return tally("labels", pairs, part(len(known), len(pulls)))


def _hot_files(pulls: Sequence[PullRequest], kinds: FileKinds) -> list[Count]:
    """The files that most pull requests changed; lock, generated, vendored and data files apart."""
    pairs = ((file.path, pull.number) for pull in pulls for file in pull.files if kinds.of_file(file) not in NOISE)
    hot = [count for count in tally("files", pairs) if count.value >= _HOT_FILE_PULLS]
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
    return [count_of(f"flags.{name}", raised[name], denominator=known[name]) for name in known]


def _threads(signals: Signals) -> list[Count]:
    """Threads that reviewers opened, by outcome; those of a pull request's own author apart."""
    if all(item.threads is None for item in signals.pulls):
        return []
    pairs = [(item.pull, thread) for item in signals.pulls for thread in item.threads or ()]
    reviewed = [(number, thread.outcome) for number, thread in pairs if not thread.self_review]

    def threads(key: str, numbers: Sequence[int], denominator: int | None = None) -> Count:
        listed = tuple(sorted(set(numbers)))
        return Count(path=f"threads.{key}", value=len(numbers), unit="threads", denominator=denominator, pulls=listed)

    outcomes = (
        threads(outcome, [number for number, own in reviewed if own == outcome], len(reviewed))
        for outcome in get_args(OutcomeName)
    )
    return [
        threads("total", [number for number, _ in reviewed]),
        threads("self_review", [number for number, thread in pairs if thread.self_review]),
        *outcomes,
    ]


def _coverage(coverages: Sequence[Coverage]) -> list[Count]:
    """What the model was shown; absent when nothing was chunked."""
    if not coverages:
        return []
    files = [(item.pull, file.shown == "full") for item in coverages for file in item.files]
    lines = sum(item.changed_lines_total for item in coverages)
    everyone = [item.pull for item in coverages]
    parts: list[tuple[str, int, Unit, int | None, Iterable[int]]] = [
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
        for key, value, unit, out_of, numbers in parts
    ]


def _raised(item: PullRequestSignals, name: FlagName) -> bool:
    return any(flag.name == name and flag.raised is True for flag in item.flags)
