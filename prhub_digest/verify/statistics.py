"""Every number by code equals stats.json and the ranking."""

from prhub_digest.models.stats import Count
from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.superlatives import superlative_fault

_NAMED = 6


def check(context: Context) -> Report:
    report = Report("statistics")
    stats, digest = context.inputs.stats, context.digest
    for name, ours, theirs in (
        ("repository", digest.repository, stats.repository),
        ("period", digest.period.label, stats.period.label),
        ("since", digest.period.since, stats.period.since),
        ("until", digest.period.until, stats.period.until),
    ):
        report.checked += 1
        if ours != theirs:
            report.error(None, "unlike_statistics", f"the digest's {name} is {ours}, that of the statistics {theirs}")
    _check_cited(context, report)
    _check_trends(context, report)
    _check_totals(context, report)
    _check_importance(context, report)
    return report


def _check_cited(context: Context, report: Report) -> None:
    counts = {count.path: count for count in context.inputs.stats.counts}
    cancelled = context.inputs.cancelled
    for sentence in context.digest.sentences:
        for path in sentence.stats:
            report.checked += 1
            if path not in counts:
                report.error(sentence.item, "unknown_citation", f"stats.json has no {path!r}")
                continue
            fault = _inconsistent(counts[path], context)
            if fault:
                report.error(sentence.item, "unlike_statistics", f"statistic {path}: {fault}")
        if sentence.origin == "model" and (found := superlative_fault(sentence, context.inputs.stats, cancelled)):
            report.error(sentence.item, "superlative", *found)


def _check_trends(context: Context, report: Report) -> None:
    """What holds for some pull requests is easily said of all that are counted beside them."""
    counts = {count.path: count for count in context.inputs.stats.counts}
    for sentence in context.digest.trends:
        told = context.inputs.cancelled.union(context.pulls(sentence))
        counted = {number for path in sentence.stats if path in counts for number in counts[path].pulls}
        report.checked += 1
        if sentence.claims and (others := sorted(counted - told)):
            about = ", ".join(f"#{number}" for number in others[:_NAMED])
            report.warning(sentence.item, "part_of_count", f"it counts {about}, too, and tells nothing of it", about)


def _inconsistent(count: Count, context: Context) -> str | None:
    if count.unit == "pulls" and count.pulls and count.value != len(count.pulls):
        return f"the value is {count.value}, but {len(count.pulls)} pull requests stand behind it"
    if count.denominator is not None and count.unit == "pulls" and count.value > count.denominator:
        return f"{count.value} of {count.denominator} is more than all"
    strangers = sorted(set(count.pulls) - context.week)
    return f"#{strangers[0]} is not of this week" if strangers else None


def _check_totals(context: Context, report: Report) -> None:
    report.checked += 2
    total = len(context.week)
    if context.inputs.stats.has("pulls.merged") and context.inputs.stats.value("pulls.merged") != total:
        report.error(None, "unlike_statistics", f"pulls.merged is not the number of pull requests, {total}")
    if len(context.inputs.ranking.entries) != total:
        report.error(None, "unlike_ranking", "the ranking holds a pull request more than once")


def _check_importance(context: Context, report: Report) -> None:
    importance = {entry.pull: entry.importance for entry in context.inputs.ranking.entries}
    for highlight in context.digest.highlights:
        report.checked += 1
        if importance.get(highlight.pull) != highlight.importance:
            report.error(
                highlight.sentence.item,
                "unlike_ranking",
                f"#{highlight.pull}: importance {highlight.importance} is not ranking's",
                f"#{highlight.pull}",
            )
