"""The order of the week, and which pull requests are highlights."""

from prhub_digest.models.base import Record
from prhub_digest.models.summary import SubScore


class Adjustment(Record):
    """A signal that moves the importance, in points."""

    signal: str
    points: float


class RankEntry(Record):
    """`importance` is 0 to 10 with one decimal; `exact` is the same before rounding, which decides the order."""

    place: int
    pull: int
    importance: float
    exact: float
    scores: tuple[SubScore, ...]
    adjustments: tuple[Adjustment, ...]
    highlight: bool


class Ranking(Record):
    """`entries` in rank order; ties go to the smaller number."""

    entries: tuple[RankEntry, ...]

    @property
    def highlights(self) -> tuple[int, ...]:
        return tuple(entry.pull for entry in self.entries if entry.highlight)

    def of(self, number: int) -> RankEntry:
        return next(entry for entry in self.entries if entry.pull == number)
