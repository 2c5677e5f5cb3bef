"""A pull request as the model summarizes it (`SummaryReply`), and as we keep it (`PullRequestSummary`).

In a reply every statement names the line it stands on; in the kept summary every statement carries the evidence that
code found for it. The reply's fields are in the order in which the model should think.
"""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.chunk import Place
from prhub_digest.models.llm import Usage

ChangeType = Literal[
    "feature", "fix", "performance", "refactor", "test", "docs", "build", "dependency", "revert", "other"
]
DefaultState = Literal["on", "off", "unchanged", "unknown"]
Severity = Literal["low", "medium", "high"]
Direction = Literal["up", "down", "none"]
BaselineIs = Literal["before", "other", "none"]
MeasuredBy = Literal["author", "reviewer", "ci", "unknown"]
SubScoreName = Literal["reach", "behaviour", "cost", "risk", "durability"]
Score = Literal[0, 1, 2, 3, 4, 5]
SUB_SCORES: tuple[SubScoreName, ...] = ("reach", "behaviour", "cost", "risk", "durability")


class StatementReply(Record):
    """`line` is a line id shown in the request, `words` at most eight words copied from that line."""

    text: str
    line: str
    words: str


class DefaultReply(Record):
    """Whether what the change adds or flips is on by default; `unchanged` where no setting governs it."""

    state: DefaultState
    line: str
    words: str


class FigureReply(Record):
    metric: str
    value: str
    unit: str
    baseline: str
    baseline_is: BaselineIs
    direction: Direction
    condition: str
    measured_by: MeasuredBy
    line: str
    words: str


class ScoreReply(Record):
    score: Score
    line: str
    words: str


class ScoresReply(Record):
    reach: ScoreReply
    behaviour: ScoreReply
    cost: ScoreReply
    risk: ScoreReply
    durability: ScoreReply


class RiskReply(Record):
    text: str
    severity: Severity
    line: str
    words: str


class ThreadReply(Record):
    """The wording of one open review thread; `thread` is an id that the request lists."""

    thread: str
    text: str
    severity: Severity


class SummaryReply(Record):
    """The model's answer to one chunk of one pull request."""

    ref: str
    headline: StatementReply
    change_type: ChangeType
    area: str
    scope: StatementReply
    condition: StatementReply
    default: DefaultReply
    claims: tuple[StatementReply, ...]
    figures: tuple[FigureReply, ...]
    risks: tuple[RiskReply, ...]
    threads: tuple[ThreadReply, ...]
    scores: ScoresReply


class HeadlineReply(Record):
    """The one sentence that is worded anew when a pull request took several chunks."""

    ref: str
    headline: str


class Evidence(Record):
    """Where a statement stands: `quote` is copied from the source by code, never from the reply.

    `found_by`: `line` (the words on the named line), `elsewhere` (the words on another line), `passage` (at most three
    lines that hold 70 % of the statement's content words).
    """

    line: str
    quote: str
    place: Place
    found_by: Literal["line", "elsewhere", "passage"]


class Statement(Record):
    text: str
    evidence: Evidence


class Figure(Record):
    """A measured value with what makes it true; `value` is written as in the source.

    `baseline_is`: `before` (the same thing before this change), `other` (something else, which `condition` names).
    """

    metric: str
    value: str
    unit: str
    baseline: str
    baseline_is: BaselineIs
    direction: Direction
    condition: str
    measured_by: MeasuredBy
    evidence: Evidence


class Risk(Record):
    text: str
    severity: Severity
    evidence: Evidence


class UnsettledThread(Record):
    """A review thread that code found open, disputed or deferred: in the model's words, else its first comment."""

    thread: str
    text: str
    severity: Severity
    worded_by: Literal["model", "comment"]


class SubScore(Record):
    """0 to 5. `source` is `rule` when the model gave no evidence for its own, or gave none at all."""

    name: SubScoreName
    value: Score
    source: Literal["model", "rule"]
    evidence: Evidence | None = None


class Dropped(Record):
    """A statement of the reply that is not used, and why."""

    kind: Literal["headline", "scope", "condition", "default", "claim", "figure", "risk", "thread", "score", "area"]
    text: str
    reason: str


class PullRequestSummary(Record):
    """`status` is `fallback` when no model reply could be used: then only rules and the title speak.

    `headline` without evidence is the pull request's own title. `inputs` is the hash of what it was made from.
    `chunk_tokens` is the size of its chunks where the model's context was too small for those of the settings.
    """

    pull: int
    status: Literal["summarized", "fallback"]
    reason: str | None = None
    inputs: str
    headline: str
    headline_evidence: Evidence | None = None
    change_type: ChangeType
    area: str
    scope: Statement | None = None
    condition: Statement | None = None
    default_state: DefaultState = "unknown"
    claims: tuple[Statement, ...] = ()
    figures: tuple[Figure, ...] = ()
    risks: tuple[Risk, ...] = ()
    unsettled_threads: tuple[UnsettledThread, ...] = ()
    scores: tuple[SubScore, ...]
    dropped: tuple[Dropped, ...] = ()
    replies: tuple[SummaryReply, ...] = ()
    usage: Usage = Usage()
    chunk_tokens: int | None = Field(None, exclude_if=lambda tokens: tokens is None)
