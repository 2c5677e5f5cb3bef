"""What code knows about each pull request, by rules alone."""

from typing import Literal

from prhub_digest.models.base import Record
from prhub_digest.models.summary import ChangeType, Score, Severity, SubScoreName

# The area of a pull request that no path pattern places.
OTHER = "other"

FlagName = Literal[
    "missing_tests",
    "large_change",
    "no_approval",
    "self_merged",
    "open_threads",
    "dependency",
    "revert",
]


class Area(Record):
    """One entry of the closed list; `paths` are glob patterns."""

    key: str
    paths: tuple[str, ...] = ()


class Flag(Record):
    """`raised` is None when the source cannot know; such a pull request is outside the flag's denominator."""

    name: FlagName
    raised: bool | None
    evidence: str


class ThreadOutcome(Record):
    """What became of a review thread; `severity` is the floor that the model may raise by one."""

    thread: str
    path: str
    line: int | None
    url: str | None
    outcome: Literal["closed", "open", "deferred", "unknown"]
    reason: str
    severity: Severity
    author_kind: Literal["human", "bot", "deleted", "unknown"]
    first_comment: str


class RuleScore(Record):
    name: SubScoreName
    value: Score


class PullRequestSignals(Record):
    """`threads` is None when the source knows no review threads.

    `changed_lines` and `changed_files` leave out lock, generated, vendored, minified, data and binary files.
    """

    pull: int
    area: str
    change_type: ChangeType
    bot: bool
    changed_lines: int = 0
    changed_files: int = 0
    flags: tuple[Flag, ...]
    threads: tuple[ThreadOutcome, ...] | None
    reverts: int | None = None
    reverted_by: int | None = None
    scores: tuple[RuleScore, ...]


class Signals(Record):
    areas: tuple[Area, ...]
    pulls: tuple[PullRequestSignals, ...]

    def of(self, number: int) -> PullRequestSignals:
        return next(signals for signals in self.pulls if signals.pull == number)
