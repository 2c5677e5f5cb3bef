"""Plan, ranking and words -> the digest of one language."""

from collections.abc import Mapping
from dataclasses import dataclass

from prhub_digest.compose.templates import template_text
from prhub_digest.models.digest import (
    Digest,
    DigestTheme,
    Highlight,
    Language,
    Recommendation,
    Sentence,
    TranslatedLine,
)
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import Plan, PlanItem, SectionName, Theme
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.summary import PullRequestSummary


@dataclass(frozen=True)
class Words:
    """The model's sentences by item id, and why an item has none (`refused`): code words those.

    The same of lines by line id: the English ones stand.
    `bare` are items whose facts' own words are refused as well: they get a pointer to the pull request, no more.
    """

    sentences: Mapping[str, str]
    refused: Mapping[str, str]
    bare: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DigestMaterial:
    """`lines` are the ids of the lines that the page shows in the digest's language; none in English."""

    collection: Collection
    plan: Plan
    ranking: Ranking
    summaries: Mapping[int, PullRequestSummary]
    language: Language
    model: str | None
    lines: tuple[str, ...] = ()


def compose_digest(material: DigestMaterial, words: Words, usage: Usage) -> Digest:
    """Every item of the plan becomes one sentence: the model's, or a template where it has none. A stub is no model's.

    `material.model` None means a facts-only digest: no sections of prose, highlights by computed importance.
    """
    plan = material.plan
    common = {
        "language": material.language,
        "repository": material.collection.repository,
        "period": material.collection.period,
        "announced_highlights": len(material.ranking.highlights),
        "highlights": tuple(
            Highlight(
                pull=highlight.pull,
                importance=material.ranking.of(highlight.pull).importance,
                area=material.summaries[highlight.pull].area,
                sentence=_sentence(material, highlight.item, "highlights", words),
            )
            for highlight in plan.highlights
        ),
        "usage": usage,
    }
    if material.model is None:
        return Digest(mode="facts", **common)

    def section(name: SectionName) -> tuple[Sentence, ...]:
        return tuple(_sentence(material, item, name, words) for item in plan.items(name))

    return Digest(
        mode="model",
        model=None if usage.stubs else material.model,
        executive=section("executive"),
        themes=tuple(_theme(material, theme, words) for theme in plan.themes),
        trends=section("trends"),
        risks=section("risks"),
        recommendations=tuple(
            Recommendation(
                sentence=_sentence(material, recommendation.item, "recommendations", words), risk=recommendation.risk
            )
            for recommendation in plan.recommendations
        ),
        lines=tuple(_line(line, words) for line in material.lines),
        **common,
    )


def _theme(material: DigestMaterial, theme: Theme, words: Words) -> DigestTheme:
    """A name that nobody worded, or that was refused, leaves the theme to its areas: no template names a theme."""
    worded = theme.heading is not None and theme.heading.id in words.sentences
    return DigestTheme(
        areas=theme.areas,
        heading=_sentence(material, theme.heading, "headings", words) if theme.heading and worded else None,
        sentences=tuple(_sentence(material, item, "changes", words) for item in theme.items),
    )


def _line(line: str, words: Words) -> TranslatedLine:
    text = words.sentences.get(line)
    return TranslatedLine(id=line, text=text, reason=None if text else words.refused.get(line))


def _sentence(material: DigestMaterial, item: PlanItem, section: SectionName, words: Words) -> Sentence:
    plan = material.plan
    text = words.sentences.get(item.id)
    figures = tuple(fact for fact in item.facts if plan.fact(fact).kind == "figure")
    return Sentence(
        item=item.id,
        text=text or template_text(plan, item, section, material.language, bare=item.id in words.bare),
        claims=tuple(fact for fact in item.facts if fact not in figures),
        figures=figures,
        stats=item.stats,
        origin="model" if text else "template",
        reason=None if text else words.refused.get(item.id),
    )
