"""What the digest will say, before any language: which facts stand in which section."""

from typing import Literal

from prhub_digest.models.base import Record
from prhub_digest.models.llm import Usage
from prhub_digest.models.summary import Evidence, Figure, Severity

FactKind = Literal["headline", "scope", "condition", "claim", "risk", "thread", "figure"]
SectionName = Literal["executive", "changes", "trends", "risks", "recommendations", "highlights"]


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


class PlanItemReply(Record):
    """One sentence to be written: `facts` and `stats` are ids and paths that the request lists."""

    facts: tuple[str, ...]
    stats: tuple[str, ...]
    point: str


class ThemeReply(Record):
    area: str
    items: tuple[PlanItemReply, ...]


class RecommendationReply(Record):
    """`risk` is the position, from 1, of the item in `risks` that this would close."""

    risk: int
    point: str


class PlanReply(Record):
    ref: str
    themes: tuple[ThemeReply, ...]
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
    area: str
    items: tuple[PlanItem, ...]


class Recommendation(Record):
    """`risk` is the id of the risk item it answers; its facts and statistics are that item's."""

    item: PlanItem
    risk: str


class HighlightPlan(Record):
    pull: int
    item: PlanItem


class Plan(Record):
    """`origin` is `rules` when the model's plan could not be used, or no model was asked.

    `left_out` are the pull requests whose facts the planning request had no room for.
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

    def fact(self, fact_id: str) -> Fact:
        return next(fact for fact in self.facts if fact.id == fact_id)

    def items(self, section: SectionName) -> tuple[PlanItem, ...]:
        """The items of a section, in order."""
        match section:
            case "executive":
                return self.executive
            case "changes":
                return tuple(item for theme in self.themes for item in theme.items)
            case "trends":
                return self.trends
            case "risks":
                return self.risks
            case "recommendations":
                return tuple(recommendation.item for recommendation in self.recommendations)
            case "highlights":
                return tuple(highlight.item for highlight in self.highlights)
