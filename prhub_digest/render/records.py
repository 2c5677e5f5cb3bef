"""What goes into a rendering, and the page that comes out: plain data in the digest's language, in reading order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.plan import Plan
from prhub_digest.models.pull_request import Collection, Completeness
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.run import CoverageTotals, Failure
from prhub_digest.models.signals import Signals
from prhub_digest.models.stats import Stats
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.models.verification import Verification
from prhub_digest.render.inline import Inline

Scalar = str | int | float | None


@dataclass(frozen=True, slots=True)
class PullHead:
    """What a line of the list of pull requests needs, and how whole it is; `author` is a label for people."""

    number: int
    title: str
    url: str | None
    author: str
    completeness: Completeness = field(default_factory=Completeness)


@dataclass(frozen=True, slots=True)
class HighlightRule:
    """How many highlights there may be: `most`, and `percent` of the period's changes.

    `forced` are those that people want there, whatever their place; `kept_out` is how many they want not.
    """

    most: int
    percent: int
    forced: tuple[int, ...] = ()
    kept_out: int = 0


@dataclass(frozen=True, slots=True)
class RenderInput:
    """Everything a rendering is made from; `plan` and `verification` are None when no model wrote.

    `partly_read` are the pull requests that the model was not shown in full.
    """

    digest: Digest
    plan: Plan | None
    stats: Stats
    signals: Signals
    ranking: Ranking
    pulls: Mapping[int, PullHead]
    summaries: Mapping[int, PullRequestSummary]
    verification: Verification | None
    collection: Collection
    coverage: CoverageTotals
    failures: tuple[Failure, ...] = ()
    partly_read: tuple[int, ...] = ()
    highlight_rule: HighlightRule | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """What code appends to a sentence. `ref` is a fact id, a statistic path, a pull request number or a risk's item."""

    kind: Literal["figure", "statistic", "pull", "risk"]
    ref: str
    text: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim that a sentence cites, with the words of its source."""

    claim: str
    pull: int
    url: str | None
    quote: str | None
    place: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or an entry of a list: `lead`, `text`, the citations in brackets, the stop.

    `figures` are the measured figures that stand in it; `below`, longer figures among it, stands under an entry of a
    list, one step in. `item` and `origin` are those of the digest's sentence; `data` holds an entry's values for a
    machine.
    """

    text: Inline
    lead: Inline = ()
    stop: str = ""
    below: tuple[Inline, ...] = ()
    citations: tuple[Citation, ...] = ()
    figures: str = ""
    evidence: tuple[Evidence, ...] = ()
    item: str | None = None
    origin: str | None = None
    data: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that run on."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Items:
    lines: tuple[Line, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[Inline, ...], ...]


Block = Paragraph | Items | Table


@dataclass(frozen=True, slots=True)
class Section:
    """`key` is the same in every language; `parts` are one level below."""

    key: str
    heading: str
    blocks: tuple[Block, ...] = ()
    parts: tuple["Section", ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """That a page is made from replies which no model gave to its requests, and how many there are."""

    kind: Literal["stale", "stub"]
    replies: int
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """The page. `facts` is the line below the title; `web_url` is the repository's address when links can be made.

    `mark` stands between the two, before anything that it warns of.
    """

    language: Language
    mode: Literal["model", "facts"]
    repository: str
    web_url: str | None
    period: Mapping[str, str]
    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...]
    mark: Mark | None = None
