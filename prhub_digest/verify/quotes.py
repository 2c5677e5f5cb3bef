"""Every quote stands in its pull request, letter by letter, where the evidence says."""

from prhub_digest.models.plan import Fact
from prhub_digest.models.summary import Evidence
from prhub_digest.verify.context import Context, Source
from prhub_digest.verify.inputs import Report


def check(context: Context) -> Report:
    report = Report("quotes")
    for fact_id, item in context.cited_facts().items():
        fact = context.facts[fact_id]
        source = context.sources.get(fact.pull)
        if source is None:
            continue  # not of this week: another check's
        report.checked += 1
        fault = _misquoted(fact.evidence, source) if fact.evidence else _unfounded(fact, source)
        if fault:
            report.error(item, "misquoted", f"fact {fact.id} of #{fact.pull}: {fault}", f"#{fact.pull}")
    return report


def _misquoted(evidence: Evidence, source: Source) -> str | None:
    passage = source.passages.get(evidence.line)
    if passage is None:
        return f"there is no line {evidence.line}"
    if passage[0].place != evidence.place:
        return f"line {evidence.line} does not stand where the evidence says"
    parts = evidence.quote.split("\n")
    if not evidence.quote.strip() or len(parts) > len(passage):
        return "the quote is empty or longer than a passage"
    if not all(part in line.text for part, line in zip(parts, passage, strict=False)):
        return f"the quote does not stand on line {evidence.line}"
    return None


def _unfounded(fact: Fact, source: Source) -> str | None:
    """A fact without evidence is a title or a review thread."""
    if fact.kind == "headline":
        titles = {_spaced(source.title), _spaced(source.shown_title)}
        return None if _spaced(fact.text) in titles else "a headline without evidence that is not the title"
    if fact.kind == "thread":
        return None if fact.thread in source.threads else f"there is no review thread {fact.thread!r}"
    return "it has no evidence"


def _spaced(text: str) -> str:
    return " ".join(text.split())
