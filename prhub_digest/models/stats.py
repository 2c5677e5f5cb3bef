"""Every number that a digest may print without a pull request of its own."""

from typing import Literal

from prhub_digest.errors import PrhubError
from prhub_digest.models.base import Record
from prhub_digest.models.period import Period

Unit = Literal["pulls", "units", "people", "commits", "threads", "lines", "hours", "files"]
# In this order in stats.json; docs/statistics.md says what each of them counts.
GROUPS = (
    "pulls",
    "period",
    "units",
    "commits",
    "lines",
    "size",
    "sizes",
    "areas",
    "platforms",
    "modules",
    "labels",
    "types",
    "people",
    "authors",
    "new_authors",
    "reviewers",
    "files",
    "flags",
    "threads",
    "hours_to_first_review",
    "hours_to_merge",
    "coverage",
)

# Where a period's work went; a change and its revert are none of it.
_OF_WORK = ("areas", "platforms", "modules", "types", "labels", "files")


class Count(Record):
    """One statistic. `path` is what a sentence cites: a group, a dot, a key (`flags.missing_tests`).

    `denominator` is what it is counted out of, when that is not all merged pull requests; `pulls` are the numbers
    behind it, ascending.
    """

    path: str
    value: int | float
    unit: Unit
    denominator: int | None = None
    pulls: tuple[int, ...] = ()

    @property
    def group(self) -> str:
        return self.path.partition(".")[0]

    @property
    def key(self) -> str:
        return self.path.partition(".")[2]

    def cancelled(self, numbers: frozenset[int]) -> int:
        """How many of its pull requests are among `numbers`, changes with their reverts; 0 where all of them count."""
        return len(numbers.intersection(self.pulls)) if self.group in _OF_WORK else 0

    def net(self, numbers: frozenset[int]) -> int | float:
        """The value without the changes that were taken back, and without what took them back."""
        return self.value - self.cancelled(numbers)


class Stats(Record):
    """The counts of one period, group by group of `GROUPS`; within a group the largest value comes first, ties by key.

    A group that the source cannot know is absent.
    """

    repository: str
    period: Period
    counts: tuple[Count, ...]

    def group(self, name: str) -> tuple[Count, ...]:
        return tuple(count for count in self.counts if count.group == name)

    def at(self, path: str) -> Count:
        """The statistic at a path.

        Raises:
            PrhubError: there is none; a digest that cites it is wrong.
        """
        for count in self.counts:
            if count.path == path:
                return count
        raise PrhubError(f"no statistic {path!r}")

    def value(self, path: str) -> int | float:
        return self.at(path).value

    def has(self, path: str) -> bool:
        return any(count.path == path for count in self.counts)
