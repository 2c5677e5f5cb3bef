"""What the digest will say, before any language: which facts stand in which section."""

from typing import Literal, Self, get_args

from pydantic import model_validator

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage
from prhub_digest.models.summary import Evidence, Figure, Severity

FactKind = Literal["headline", "scope", "condition", "claim", "risk", "thread", "figure"]
SectionName = Literal["executive", "headings", "changes", "trends", "risks", "recommendations", "highlights"]


class Fact(Record):
    """Something a sentence may cite. `id` starts with the pull request's place: `p3.c2` is claim 2 of place 3.

    `text` is English. `evidence` is None for a headline that is the title, and for a review thread (`thread` names it).
    """

    id: str
    kind: FactKind
    pull: int
    text: str
    evidence: Evidence | None = None
    figure: Figure | None = None
    thread: str | None = None
    severity: Severity | None = None

    @property
    def lines(self) -> dict[str, str]:
        """What a page may print of it in words of its own, by line id: `9.headline`, `9.thread.RT_1`, `p1.f2.metric`.

        In English; a headline that is the title stands on the page as such.
        """
        if self.figure is not None:
            found = {f"{self.id}.metric": self.figure.metric, f"{self.id}.condition": self.figure.condition}
        elif self.kind == "headline" and self.evidence is not None:
            found = {f"{self.pull}.headline": self.text}
        elif self.kind == "thread":
            found = {f"{self.pull}.thread.{self.thread}": self.text}
        else:
            found = {}
        return {line: text for line, text in found.items() if text.strip()}


class PlanItemReply(Record):
    """One sentence to be written: `facts` and `stats` are ids and paths that the request lists."""

    facts: tuple[str, ...]
    stats: tuple[str, ...]
    point: str


class ThemeItemReply(Record):
    """One sentence about a theme; `facts` are ids that the request lists."""

    facts: tuple[str, ...]
    point: str


class ThemeReply(Record):
    """`name` is what the pull requests of the theme have in common, in a few English words."""

    ref: str
    name: str
    items: tuple[ThemeItemReply, ...]


class RecommendationReply(Record):
    """`risk` is the position, from 1, of the item in `risks` that this would close."""

    risk: int
    point: str


class PlanReply(Record):
    """All sections but the themes, which have requests of their own."""

    ref: str
    trends: tuple[PlanItemReply, ...]
    risks: tuple[PlanItemReply, ...]
    recommendations: tuple[RecommendationReply, ...]
    executive: tuple[PlanItemReply, ...]


class PlanItem(Record):
    """`id` is unique in the plan: a letter for the section and a position (`k3`). `point` is English, never printed."""

    id: str
    facts: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()
    point: str = ""


class Theme(Record):
    """Pull requests that belong together, by code; which of their facts are told, and under which name, by the model.

    `areas`, the largest first, and `pulls`, in rank order, are those of the grouping. `heading` words the name: its
    point is the English name, its facts are the headlines of the pull requests that the items tell of. It is None, and
    `origin` is `rules`, when the model's plan of the theme could not be used, or no model was asked.
    """

    areas: tuple[str, ...]
    pulls: tuple[int, ...]
    heading: PlanItem | None = None
    items: tuple[PlanItem, ...]
    origin: Literal["model", "rules"] = "model"


class Recommendation(Record):
    """`risk` is the id of the risk item it answers; its facts and statistics are that item's."""

    item: PlanItem
    risk: str


class HighlightPlan(Record):
    pull: int
    item: PlanItem


class Plan(Record):
    """`origin` is `rules` when the model's plan could not be used, or no model was asked; a theme has its own.

    `left_out` are the pull requests whose facts the request of their theme had no room for.
    """

    inputs: str
    origin: Literal["model", "rules"]
    reason: str | None = None
    facts: tuple[Fact, ...]
    executive: tuple[PlanItem, ...]
    themes: tuple[Theme, ...]
    trends: tuple[PlanItem, ...]
    risks: tuple[PlanItem, ...]
    recommendations: tuple[Recommendation, ...]
    highlights: tuple[HighlightPlan, ...]
    left_out: tuple[int, ...] = ()
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _cites_its_facts(self) -> Self:
        if unknown := self.cited - {fact.id for fact in self.facts}:
            raise ValueError(f"an item rests on {min(unknown)!r}, which is no fact of the plan")
        return self

    def fact(self, fact_id: str) -> Fact:
        return next(fact for fact in self.facts if fact.id == fact_id)

    @property
    def cited(self) -> frozenset[str]:
        """The ids of the facts that items rest on."""
        return frozenset(
            fact for section in get_args(SectionName) for item in self.items(section) for fact in item.facts
        )

    @property
    def whole(self) -> bool:
        """Whether all of it is the model's."""
        return self.origin == "model" and all(theme.origin == "model" for theme in self.themes)

    def items(self, section: SectionName) -> tuple[PlanItem, ...]:
        """The items of a section, in order."""
        of_section: dict[SectionName, tuple[PlanItem, ...]] = {
            "executive": self.executive,
            "headings": tuple(theme.heading for theme in self.themes if theme.heading),
            "changes": tuple(item for theme in self.themes for item in theme.items),
            "trends": self.trends,
            "risks": self.risks,
            "recommendations": tuple(recommendation.item for recommendation in self.recommendations),
            "highlights": tuple(highlight.item for highlight in self.highlights),
        }
        return of_section[section]
