"""Every id that a sentence cites exists, and they are exactly those of its plan item."""

from collections.abc import Sequence

from prhub_digest.models.digest import Sentence
from prhub_digest.models.plan import PlanItem
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.sections import planned_items


def check(context: Context) -> Report:
    report = Report("known_ids")
    planned = {item.id: item for item in planned_items(context.digest, context.inputs.plan)}
    for sentence in context.digest.sentences:
        report.checked += len(sentence.claims) + len(sentence.figures) + len(sentence.stats)
        _exist(context, sentence, report)
        item = planned.get(sentence.item)
        if item is None:
            report.error(sentence.item, "unplanned", f"the plan has no item {sentence.item!r}")
        else:
            _match(context, sentence, item, report)
    told = {sentence.item for sentence in context.digest.sentences}
    for item_id in planned:
        if item_id not in told:
            report.error(item_id, "unplanned", f"plan item {item_id!r} has no sentence")
    return report


def _exist(context: Context, sentence: Sentence, report: Report) -> None:
    for fact_id in (*sentence.claims, *sentence.figures):
        if fact_id not in context.facts:
            report.error(sentence.item, "unknown_citation", f"unknown fact {fact_id!r}")
    for path in sentence.stats:
        if not context.inputs.stats.has(path):
            report.error(sentence.item, "unknown_citation", f"unknown statistic {path!r}")
    if not (sentence.claims or sentence.figures or sentence.stats):
        report.error(sentence.item, "no_citation", "the sentence cites nothing")


def _match(context: Context, sentence: Sentence, item: PlanItem, report: Report) -> None:
    figures = [name for name in item.facts if name in context.facts and context.facts[name].kind == "figure"]
    claims = [name for name in item.facts if name not in figures]
    _same("facts", sentence.claims, claims, sentence.item, report)
    _same("figures", sentence.figures, figures, sentence.item, report)
    _same("statistics", sentence.stats, item.stats, sentence.item, report)


def _same(kind: str, given: Sequence[str], planned: Sequence[str], item: str, report: Report) -> None:
    if sorted(given) != sorted(planned):
        report.error(item, "other_citation", f"cites the {kind} {_listed(given)}; its plan item has {_listed(planned)}")


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids) or "none"
