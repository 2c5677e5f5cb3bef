"""What was announced is there: each highlight, each section, each item once."""

from collections import Counter

from prhub_digest.models.plan import Fact, SectionName
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.sections import SECTIONS, planned_sections, sentences_of


def check(context: Context) -> Report:
    report = Report("structure")
    _check_highlights(context, report)
    for section in SECTIONS:
        _check_section(context, section, report)
    _check_executive(context, report)
    _check_themes(context, report)
    _check_length(context, report)
    _check_recommendations(context, report)
    items = Counter(sentence.item for sentence in (*context.digest.headings, *context.digest.sentences))
    for item, times in items.items():
        if times > 1:
            report.error(item, "repeated", f"item {item!r} is worded {times} times")
    return report


def _check_highlights(context: Context, report: Report) -> None:
    digest = context.digest
    listed, ranked = [highlight.pull for highlight in digest.highlights], context.inputs.ranking.highlights
    report.checked += len(ranked) + 1
    if not len(listed) == digest.announced_highlights == len(ranked):
        report.error(
            None,
            "unlike_ranking",
            f"{digest.announced_highlights} highlights are announced, {len(listed)} listed, {len(ranked)} ranked",
        )
    for number in ranked:
        if listed.count(number) != 1:
            told = f"the highlight #{number} is listed {listed.count(number)} times"
            report.error(None, "unlike_ranking", told, f"#{number}")
    planned = {highlight.item.id: highlight.pull for highlight in context.inputs.plan.highlights}
    for highlight in digest.highlights:
        item = highlight.sentence.item
        if highlight.pull not in ranked:
            report.error(
                item, "unlike_ranking", f"#{highlight.pull} is no highlight of the ranking", f"#{highlight.pull}"
            )
        if planned.get(item, highlight.pull) != highlight.pull:
            report.error(item, "unlike_plan", f"the plan has #{planned[item]} here, not #{highlight.pull}")
        if context.cited(highlight.sentence) and highlight.pull not in context.pulls(highlight.sentence):
            report.error(item, "other_citation", f"the sentence of the highlight #{highlight.pull} cites nothing of it")


def _check_section(context: Context, section: SectionName, report: Report) -> None:
    sentences = sentences_of(context.digest, section)
    given = [sentence.item for sentence in sentences]
    wanted = [item.id for item in context.inputs.plan.items(section)]
    report.checked += len(given)
    if section not in planned_sections(context.digest):
        if given:
            report.error(None, "unplanned", f"a digest without a model has no section {section!r}")
        return
    if given != wanted:
        report.error(None, "unlike_plan", f"section {section!r} has the items {given}, not the plan's {wanted}")
    texts = Counter(sentence.text.casefold() for sentence in sentences if sentence.origin == "model")
    for sentence in sentences:
        if texts.pop(sentence.text.casefold(), 0) > 1:
            told = f"the same sentence stands more than once in section {section!r}"
            report.error(sentence.item, "repeated", told)


def _check_executive(context: Context, report: Report) -> None:
    """Whoever reads only the summary would take the week for an empty one."""
    # A pull request that was not summarized has its title and its threads, without evidence.
    summarized = any(fact.evidence for fact in context.inputs.plan.facts)
    if context.digest.mode == "model" and summarized and not context.digest.executive:
        report.warning(None, "no_summary", "the executive summary is empty, although pull requests were summarized")


def _check_themes(context: Context, report: Report) -> None:
    if "changes" not in planned_sections(context.digest):
        return
    given = [(theme.areas, [sentence.item for sentence in theme.sentences]) for theme in context.digest.themes]
    wanted = [(theme.areas, [item.id for item in theme.items]) for theme in context.inputs.plan.themes]
    report.checked += len(given)
    if given != wanted:
        report.error(None, "unlike_plan", "the themes are not the plan's, with the plan's areas and items")
    members = {count.key: frozenset(count.pulls) for count in context.inputs.stats.group("areas")}
    for theme in context.digest.themes:
        own = frozenset[int]().union(*(members.get(area, frozenset()) for area in theme.areas))
        for sentence in theme.sentences:
            strangers = [number for number in context.pulls(sentence) if number not in own]
            if strangers:
                told = f"#{strangers[0]} is in none of the areas {', '.join(theme.areas)}"
                report.error(sentence.item, "other_citation", told, f"#{strangers[0]}")


def _check_length(context: Context, report: Report) -> None:
    """What a pull request claims is told under its theme and among the highlights, and nowhere else.

    What was taken back, and what took it back, stand under no theme.
    """
    for section in ("executive", "trends", "risks", "recommendations"):
        for sentence in sentences_of(context.digest, section):
            told = [fact.id for fact in context.cited(sentence) if _of_a_theme(context, fact)]
            report.checked += 1
            if told:
                message = f"section {section!r} tells {told[0]}, a claim; these belong to the key changes"
                report.error(None, "unplanned", message)


def _of_a_theme(context: Context, fact: Fact) -> bool:
    return fact.kind == "claim" and fact.pull not in context.inputs.cancelled


def _check_recommendations(context: Context, report: Report) -> None:
    risks = {sentence.item for sentence in context.digest.risks}
    planned = {recommendation.item.id: recommendation.risk for recommendation in context.inputs.plan.recommendations}
    for recommendation in context.digest.recommendations:
        report.checked += 1
        item = recommendation.sentence.item
        if recommendation.risk not in risks:
            report.error(
                item, "unlike_plan", f"it answers the risk {recommendation.risk!r}, which the digest does not have"
            )
        if planned.get(item, recommendation.risk) != recommendation.risk:
            report.error(item, "unlike_plan", f"the plan has it answer {planned[item]!r}, not {recommendation.risk!r}")
