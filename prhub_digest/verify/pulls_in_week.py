"""Every pull request that the digest speaks of was merged in its week, and is the one its id stands for."""

import re

from prhub_digest.models.plan import Fact
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report

_PLACE = re.compile(r"p(\d+)\.")


def check(context: Context) -> Report:
    report = Report("pulls_in_week")
    places = {entry.place: entry.pull for entry in context.inputs.ranking.entries}
    cited = context.cited_facts()
    week = context.week
    for fact in context.inputs.plan.facts:
        report.checked += 1
        _check_fact(context, fact, places, cited.get(fact.id), report)
    for highlight in context.digest.highlights:
        report.checked += 1
        if highlight.pull not in week:
            report.error(
                highlight.sentence.item,
                "other_week",
                f"the highlight #{highlight.pull} is not of this week",
                f"#{highlight.pull}",
            )
    return report


def _check_fact(context: Context, fact: Fact, places: dict[int, int], item: str | None, report: Report) -> None:
    source = context.sources.get(fact.pull)
    if fact.pull not in places.values() or (item is not None and (source is None or not source.in_period)):
        report.error(
            item, "other_week", f"fact {fact.id} is about #{fact.pull}, which is not of this week", f"#{fact.pull}"
        )
        return
    match = _PLACE.match(fact.id)
    if match and places.get(int(match[1])) != fact.pull:
        report.error(
            item, "other_citation", f"fact {fact.id} is about #{fact.pull}, which does not have place {match[1]}"
        )
