"""The sections of a digest beside those of its plan."""

from prhub_digest.models.digest import Digest, Sentence
from prhub_digest.models.plan import Plan, PlanItem, SectionName

SECTIONS: tuple[SectionName, ...] = ("executive", "changes", "trends", "risks", "highlights", "recommendations")


def planned_sections(digest: Digest) -> tuple[SectionName, ...]:
    """A digest without a model's prose has highlights only."""
    return SECTIONS if digest.mode == "model" else ("highlights",)


def planned_items(digest: Digest, plan: Plan) -> tuple[PlanItem, ...]:
    """The items that a digest must word, in the order of the page."""
    return tuple(item for section in planned_sections(digest) for item in plan.items(section))


def sentences_of(digest: Digest, section: SectionName) -> tuple[Sentence, ...]:
    of_section: dict[SectionName, tuple[Sentence, ...]] = {
        "executive": digest.executive,
        "headings": digest.headings,
        "changes": tuple(sentence for theme in digest.themes for sentence in theme.sentences),
        "trends": digest.trends,
        "risks": digest.risks,
        "highlights": tuple(highlight.sentence for highlight in digest.highlights),
        "recommendations": tuple(recommendation.sentence for recommendation in digest.recommendations),
    }
    return of_section[section]
