"""`facts.json` of a fixture: what is true of its week, read from the pull requests by a person who saw no output.

Tests compare the signals, and the figures of the summaries, with it. A reason stands beside each fact, to be reviewed.
"""

from typing import Annotated, Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.signals import FlagName, OutcomeName, UnitKind
from prhub_digest.models.summary import Direction, MeasuredBy, Severity

# A fact without a reason cannot be reviewed.
Why = Annotated[str, Field(min_length=1)]


class FlagFact(Record):
    """`raised` is None where the definition says unknown."""

    raised: bool | None
    why: Why


class ThreadFact(Record):
    """`severity` is the floor; `self_review` was opened by an author of the pull request."""

    thread: str
    outcome: OutcomeName
    severity: Severity
    self_review: bool = Field(False, exclude_if=lambda own: not own)
    why: Why


class AreaFact(Record):
    """`candidates` are what the rule leaves to choose from, best first; none where it decides."""

    key: str
    candidates: tuple[str, ...] = Field((), exclude_if=lambda keys: not keys)
    why: Why


class PlatformsFact(Record):
    keys: tuple[str, ...]
    why: Why


class FigureFact(Record):
    """A figure that the texts state. `words` are copied from the place named, where `value` and `baseline` stand.

    Place: `comment` is one of the conversation, `thread` one of a review thread, `review` the text of a verdict.
    """

    metric: str
    value: str
    unit: str
    baseline: str
    direction: Direction
    condition: str
    measured_by: MeasuredBy
    place: Literal["title", "description", "comment", "thread", "review"]
    words: str
    note: str = Field("", exclude_if=lambda note: not note)


class PullFacts(Record):
    number: int
    flags: dict[FlagName, FlagFact]
    threads: tuple[ThreadFact, ...]
    area: AreaFact
    platforms: PlatformsFact
    figures: tuple[FigureFact, ...]


class UnitFact(Record):
    """As `Unit`: what is one thing to a reader, and which of it still stands at the end of the week."""

    kind: UnitKind
    pulls: tuple[int, ...]
    standing: tuple[int, ...]
    announced: int | None = Field(None, exclude_if=lambda total: total is None)
    before: tuple[int, ...] = Field((), exclude_if=lambda numbers: not numbers)
    why: Why


class FixtureFacts(Record):
    """`pulls` ascend and are all of the fixture's; so are those of the units together."""

    pulls: tuple[PullFacts, ...]
    units: tuple[UnitFact, ...]
