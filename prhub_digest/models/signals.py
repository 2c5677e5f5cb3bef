"""What code knows about each pull request, by rules alone."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from prhub_digest.models.base import Record
from prhub_digest.models.summary import ChangeType, Score, Severity, SubScoreName

# The area of a pull request that no path pattern places.
OTHER = "other"

FlagName = Literal[
    "missing_tests",
    "core_path",
    "large_change",
    "no_approval",
    "self_merged",
    "open_threads",
    "public_api",
    "configuration",
    "default_changed",
    "dependency",
    "migration",
    "security_path",
    "generated_without_source",
    "revert",
]
OutcomeName = Literal["done", "deferred", "disputed", "answered", "open", "unknown"]
# The outcomes of a thread that something is still to be done about.
UNSETTLED: frozenset[OutcomeName] = frozenset({"open", "disputed", "deferred"})
UnitKind = Literal["single", "series", "revert", "backport", "twin", "bump"]


class Area(Record):
    """One entry of the closed list; `paths` and `labels` are glob patterns."""

    key: str
    paths: tuple[str, ...] = ()
    labels: tuple[str, ...] = Field((), exclude_if=lambda labels: not labels)

    @field_validator("key")
    @classmethod
    def _one_word(cls, value: str) -> str:
        if any(map(str.isspace, value)) or not value:
            raise ValueError("holds a blank" if value else "empty")
        return value

    @model_validator(mode="after")
    def _other_is_the_rest(self) -> Self:
        if self.key == OTHER and (self.paths or self.labels):
            raise ValueError(f"{OTHER!r} is what is in no other area, so that it has no paths and no labels")
        return self


class Flag(Record):
    """`raised` is None when the source cannot know; such a pull request is outside the flag's denominator."""

    name: FlagName
    raised: bool | None
    evidence: str


class ThreadOutcome(Record):
    """What became of a review thread; `severity` is the floor that the model may raise by one.

    A `self_review` was opened by an author of the pull request. `follow_ups` are later pull requests that take it up.
    """

    thread: str
    path: str
    line: int | None
    url: str | None
    outcome: OutcomeName
    reason: str
    severity: Severity
    author_kind: Literal["human", "bot", "deleted", "unknown"]
    first_comment: str
    self_review: bool = False
    follow_ups: tuple[int, ...] = ()


class Unit(Record):
    """Pull requests that are one thing to a reader; every pull request of the week belongs to exactly one unit.

    `pulls` ascend. `standing` are those whose change is still there at the end of the week. `announced` is N of a
    series `n/N`. `before` are numbers of pull requests from before the week that it takes back, relands or ports.
    `evidence` says by which words or rule they belong together.
    """

    kind: UnitKind
    pulls: tuple[int, ...]
    standing: tuple[int, ...]
    announced: int | None = None
    before: tuple[int, ...] = ()
    evidence: str = ""


class Tags(Record):
    """Platforms (`nvidia`, `arm`) and modules that a pull request touches, apart from its area."""

    platforms: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class RuleScore(Record):
    name: SubScoreName
    value: Score


class PullRequestSignals(Record):
    """`threads` is None when the source knows no review threads.

    `area` is decided by rule; where the paths leave a choice, `area_candidates` holds it, best first, and the model
    chooses among them; `touched` are all areas that its files stand in. `changed_lines` and `changed_files` leave out
    lock, generated, vendored, minified, data and binary files. `core_files` are those for which `core_path` is raised.
    """

    pull: int
    area: str
    change_type: ChangeType
    bot: bool
    labels: tuple[str, ...] = ()
    area_candidates: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    tags: Tags = Tags()
    changed_lines: int = 0
    changed_files: int = 0
    flags: tuple[Flag, ...]
    core_files: tuple[str, ...] = Field((), exclude_if=lambda paths: not paths)
    threads: tuple[ThreadOutcome, ...] | None
    reverts: int | None = None
    reverted_by: int | None = None
    scores: tuple[RuleScore, ...]


class Signals(Record):
    areas: tuple[Area, ...]
    pulls: tuple[PullRequestSignals, ...]
    units: tuple[Unit, ...] = ()

    @property
    def cancelled(self) -> frozenset[int]:
        """The pull requests of which nothing stands at the end of the period: a change with its revert."""
        return frozenset(number for unit in self.units for number in unit.pulls if number not in unit.standing)

    def of(self, number: int) -> PullRequestSignals:
        return next(signals for signals in self.pulls if signals.pull == number)
