"""The order of the week, and which pull requests are highlights."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage
from prhub_digest.models.summary import SubScore


class Adjustment(Record):
    """A signal that moves the importance, in points."""

    signal: str
    points: float


class Override(Record):
    """What people know better: pull requests that carry one of `labels`, or are named, move by `points`.

    `highlight` puts them among the highlights, or keeps them out, whatever their place.
    """

    labels: tuple[Annotated[str, Field(pattern=r"^[^!\s]")], ...] = Field(
        (), description='a list of patterns, like ["release-blocker", "area/*"]'
    )
    pulls: tuple[Annotated[int, Field(strict=True, gt=0)], ...] = Field(
        (), description="a list of numbers of pull requests, like [4134]"
    )
    points: float = Field(0.0, strict=True, ge=-10, le=10, description="a number of points from -10 to 10")
    highlight: bool | None = Field(None, strict=True, description="true or false")
    reason: str = Field("", description="a short text, which `show --pr` repeats")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.labels and not self.pulls:
            raise ValueError("names no pull request")
        if not self.points and self.highlight is None:
            raise ValueError("changes nothing")
        return self


class CompareReply(Record):
    """The model's order of one group: the letters of the request, the most important pull request first."""

    ref: str
    order: tuple[str, ...]


class Comparison(Record):
    """One listwise look: `order` are the numbers of a group as the model ordered them, the most important first."""

    shuffle: int
    order: tuple[int, ...]


class RankEntry(Record):
    """`importance` is 0 to 10 with one decimal; `exact` is the same before rounding.

    The order is that of `exact` + `shift`; the comparisons shift by at most 0.25 either way, so that they decide only
    between pull requests within half a point of each other.
    """

    place: int
    pull: int
    importance: float
    exact: float
    shift: float = 0.0
    scores: tuple[SubScore, ...]
    adjustments: tuple[Adjustment, ...]
    highlight: bool


class Ranking(Record):
    """`entries` in rank order; ties go to the smaller number. `usage` is that of the comparisons' replies."""

    entries: tuple[RankEntry, ...]
    comparisons: tuple[Comparison, ...] = ()
    usage: Usage = Usage()

    @property
    def highlights(self) -> tuple[int, ...]:
        return tuple(entry.pull for entry in self.entries if entry.highlight)

    def of(self, number: int) -> RankEntry:
        return next(entry for entry in self.entries if entry.pull == number)
