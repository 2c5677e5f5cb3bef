"""The plan in words of one language."""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage
from prhub_digest.models.period import Period

Language = Literal["en", "zh"]


class WordedItemReply(Record):
    """`text` carries no number: code appends figures, statistics and links."""

    item: str
    text: str


class WordingReply(Record):
    ref: str
    items: tuple[WordedItemReply, ...]


class Sentence(Record):
    """One sentence; `item` is the plan item it words, whose facts and statistics it states.

    `claims` and `figures` are fact ids, `stats` are statistic paths. `origin` is `template` when code worded it, from
    the facts' own text, since the model's wording was missing or failed verification (`reason`).
    """

    item: str
    text: str
    claims: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()
    origin: Literal["model", "template"] = "model"
    reason: str | None = None


class TranslatedLine(Record):
    """A line of the page that no plan item words, in the digest's language; `id` is one of `Fact.lines`.

    `text` is None where the English line has to do, since its translation was missing or refused (`reason`).
    """

    id: str
    text: str | None
    reason: str | None = None


class DigestTheme(Record):
    """`heading` names the theme in the digest's language; None when it has no name, and its `areas` have to do."""

    areas: tuple[str, ...]
    heading: Sentence | None = None
    sentences: tuple[Sentence, ...]


class Highlight(Record):
    pull: int
    importance: float
    area: str
    sentence: Sentence


class Recommendation(Record):
    """`risk` is the item id of the risk that it answers."""

    sentence: Sentence
    risk: str


class Digest(Record):
    """`mode` is `facts` when no model was asked: then there are only `highlights` and what code makes of stats.json.

    `model` is None then, and when stubs stand in for a model's replies. `announced_highlights` is the number the digest
    states; as many are listed. `usage` is the stored usage of all the replies this digest is made from, whenever they
    were paid for; its counts of stale replies and stubs mark every page. An English digest has no `lines`.
    """

    language: Language
    mode: Literal["model", "facts"]
    repository: str
    period: Period
    model: str | None = None
    announced_highlights: int
    executive: tuple[Sentence, ...] = ()
    themes: tuple[DigestTheme, ...] = ()
    trends: tuple[Sentence, ...] = ()
    risks: tuple[Sentence, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    lines: tuple[TranslatedLine, ...] = Field((), exclude_if=lambda lines: not lines)
    usage: Usage = Usage()

    @property
    def headings(self) -> tuple[Sentence, ...]:
        """The names of the themes, as far as they have any."""
        return tuple(theme.heading for theme in self.themes if theme.heading)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences in the order of the page."""
        return (
            *self.executive,
            *(sentence for theme in self.themes for sentence in theme.sentences),
            *self.trends,
            *self.risks,
            *(highlight.sentence for highlight in self.highlights),
            *(recommendation.sentence for recommendation in self.recommendations),
        )
