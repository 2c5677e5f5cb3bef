"""Every figure's value stands in its quote with this unit; what else it names stands in its pull request."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from prhub_digest.models.people import same_person
from prhub_digest.models.plan import Fact
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.summary import Figure
from prhub_digest.models.verification import FindingKind
from prhub_digest.verify.context import Context, Source
from prhub_digest.verify.figure_parts import (
    bracketed_units,
    is_ratio,
    is_unit,
    label_units,
    marked,
    table_labels,
    unit_aliases,
    unit_key,
    unit_needles,
    words,
)
from prhub_digest.verify.inputs import Report, VerifyInput
from prhub_digest.verify.occurrences import NUMBER, Needle, numbers, plain, without_thousands

_AFTER = re.compile(r"\s*([%％×倍]|-?[A-Za-zµμ]+(?:/[A-Za-z]+)?)")
_UP = re.compile(r"\b(?:increas|higher|improv|gain|rais|grow|more|up)\w*|提升|提高|上升|增加|增长", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:decreas|lower|reduc|drop|fewer|less|cut|down|shrink)\w*|降|减少|缩短", re.IGNORECASE)

_UNSIGNED = re.compile(r"[~≈]?\s*(\d[\d, ]*(?:\.\d+)?)")
_CLAUSE_ENDS = re.compile(r"[;,；，。、]|\.(?=\s|$)|\b(?:and|but|while|whereas)\b|而|但", re.IGNORECASE)

# A column of a table that compares others: its values have a unit of their own, told or not.
_COMPARES = re.compile(
    r"change|diff|delta|Δ|speed-?up|ratio|gain|improve|relative|overhead|faster|slower|\bvs\b|变化|提升|加速|比",
    re.IGNORECASE,
)

# How a summary speaks of any measurement.
_ABOUT_MEASURING = frozenset(
    {"approximate", "author", "baseline", "measured", "value", "change", "difference", "same", "calls", "says", "that"}
)
# What the material does not tell stands in no pull request.
_NOT_TOLD = re.compile(r"[^;,]*\bnot (?:stated|named|given|known|told)\b[^;,]*")


def check(context: Context) -> Report:
    report = Report("figures")
    told: dict[tuple[int, str, str], tuple[str, str]] = {}
    for fact_id, item in context.cited_facts().items():
        fact = context.facts[fact_id]
        source = context.sources.get(fact.pull)
        if fact.figure is None or source is None:
            if fact.kind == "figure" and fact.figure is None:
                report.error(item, "figure_unlike_source", f"fact {fact.id} is a figure without a value")
            continue
        report.checked += 1
        pull = context.inputs.pulls[fact.pull]
        labels = partial(_units_of_labels, fact.figure, pull, context.inputs)
        for fault in (*_faults(fact.figure, source, labels), *_measurer_fault(fact.figure, pull)):
            message = f"figure {fact.id} of #{fact.pull}: {fault}"
            report.error(item, "figure_unlike_source", message, _named(fact.figure))
        for kind, doubt in _doubts(fact.figure, source):
            report.warning(item, kind, f"figure {fact.id} of #{fact.pull}: {doubt}", _named(fact.figure))
        _one_value(fact, fact.figure, item, told, report)
    for sentence in context.digest.sentences:
        for fact_id in sentence.figures:
            if fact_id in context.facts and context.facts[fact_id].kind != "figure":
                report.error(sentence.item, "other_citation", f"fact {fact_id} is cited as a figure and is none")
    return report


def _faults(figure: Figure, source: Source, labels: Callable[[], list[str]]) -> Iterable[str]:
    quote = plain(figure.evidence.quote)
    quoted = numbers(quote)
    for number in numbers(figure.value):
        if number not in quoted:
            yield f"the quote does not hold the value {figure.value!r}"
    if not numbers(figure.value) and figure.value.casefold() not in quote.casefold():
        yield f"the quote does not hold the value {figure.value!r}"
    fault = _unit_fault(figure, quote, source, labels)
    if fault:
        yield fault
    for number in numbers(figure.baseline):
        if number not in quoted and Needle("number", number) not in source.found:
            yield f"the pull request does not hold the baseline {figure.baseline!r}"
    for needle in marked(f"{figure.condition} {figure.metric}"):
        if needle not in source.found:
            yield f"the pull request does not hold {needle.text!r} of the metric or condition"


def _unit_fault(figure: Figure, quote: str, source: Source, labels: Callable[[], list[str]]) -> str | None:
    unit = figure.unit.strip()
    beside = _units_beside(figure.value, quote)
    if not unit or any(_same_unit(found, unit) for found in beside):
        return None
    if unit_key(unit) is not None:
        others = [found for found in beside if unit_key(found) is not None]
        if others:
            return f"the quote says {others[0]!r}, not {unit!r}"
        labelled = labels()
        if any(_same_unit(found, unit) for found in labelled):
            return None
        if labelled:
            return f"the value's label says {labelled[0]!r}, not {unit!r}"
    return None if _holds_unit(quote, source, unit) else f"the pull request does not hold the unit {unit!r}"


def _holds_unit(quote: str, source: Source, unit: str) -> bool:
    aliases = [alias.casefold() for alias in unit_aliases(unit) if len(alias) > 1 or alias in "%×倍"]
    return any(alias in quote.casefold() for alias in aliases) or not source.found.isdisjoint(unit_needles(unit))


def _units_of_labels(figure: Figure, pull: PullRequest, inputs: VerifyInput) -> list[str]:
    """The units that the labels of a value give it: of its row and column, else in brackets in its clause."""
    cells = table_labels(figure, inputs.lines(pull))
    if not cells:
        return bracketed_units(_clauses_of(figure))
    found = []
    for row, column in cells:
        compares = is_ratio(figure.unit) and _COMPARES.search(column)
        found += label_units(column) or ([] if compares else label_units(row))
    return found


def _measurer_fault(figure: Figure, pull: PullRequest) -> Iterable[str]:
    """The author's own words tell of no reviewer's measurement."""
    place = figure.evidence.place
    said = [comment for thread in pull.threads or () for comment in thread.comments] + [*(pull.comments or ())]
    writer = next((comment.author for comment in said if comment.id == place.comment), None)
    by_author = place.kind not in ("thread", "comment") or (writer and same_person(writer, pull.author))
    if figure.measured_by == "reviewer" and by_author:
        yield "a reviewer is said to have measured it, but its quote is the author's"


def _same_unit(found: str, unit: str) -> bool:
    key = unit_key(unit)
    return found.casefold() == unit.casefold() or (key is not None and unit_key(found) == key)


def _units_beside(value: str, quote: str) -> list[str]:
    """What follows each place of the value in its quote: `18 % lower` -> %; `2987 output tok/s` -> output, tok/s."""
    text = without_thousands(quote)
    wanted = set(numbers(value))
    places = (match.end() for match in NUMBER.finditer(text) if wanted.intersection(numbers(match[0])))
    return [word for place in places for word in _following(text, place)]


def _following(text: str, place: int) -> Iterator[str]:
    """The word at a place, and of the next two those that can only be a unit."""
    for distance in range(3):
        match = _AFTER.match(text, place)
        if match is None:
            return
        if not distance or is_unit(match[1]):
            yield match[1]
        place = match.end()


def _named(figure: Figure) -> str:
    return f"{figure.metric} {figure.value} {figure.unit}".strip()


def _doubts(figure: Figure, source: Source) -> Iterable[tuple[FindingKind, str]]:
    for name, text in (("metric", figure.metric), ("condition", figure.condition)):
        said = words(_NOT_TOLD.sub("", text))
        if "/s" in figure.unit + figure.evidence.quote:
            said = [word for word in said if word.casefold() != "throughput"]  # the unit says it
        needles = {Needle("name", word) for word in said if word.casefold() not in _ABOUT_MEASURING}
        if needles and len(needles & source.found) * 2 < len(needles):
            yield "figure_words", f"most words of its {name} {text!r} are not in the pull request"
    beside = _clauses_of(figure)
    up, down = _by_numbers(figure) or (bool(_UP.search(beside)), bool(_DOWN.search(beside)))
    if (figure.direction == "up" and down and not up) or (figure.direction == "down" and up and not down):
        yield "figure_direction", f"the quote reads like the other direction than {figure.direction!r}"


def _by_numbers(figure: Figure) -> tuple[bool, bool] | None:
    """Whether the value lies above its baseline, and below; None where the two are not of one unit."""
    bare = _UNSIGNED.fullmatch(plain(figure.value).removesuffix(figure.unit).strip())
    baseline = _UNSIGNED.fullmatch(plain(figure.baseline).removesuffix(figure.unit).strip())
    if not bare or not baseline:
        return None
    value, before = (float(match[1].replace(",", "").replace(" ", "")) for match in (bare, baseline))
    return value > before, value < before


def _clauses_of(figure: Figure) -> str:
    """The clauses of the quote that hold the value: `~140 to ~6, and throughput is up` says nothing of 6 after it."""
    value = set(numbers(figure.value))
    clauses = _CLAUSE_ENDS.split(without_thousands(plain(figure.evidence.quote)))
    return "\n".join(clause for clause in clauses if not value or value.intersection(numbers(clause)))


def _one_value(
    fact: Fact, figure: Figure, item: str, told: dict[tuple[int, str, str], tuple[str, str]], report: Report
) -> None:
    """One metric of one pull request under one condition has one value in the whole digest."""
    key = (fact.pull, " ".join(figure.metric.casefold().split()), " ".join(figure.condition.casefold().split()))
    value = "/".join(numbers(figure.value)) or figure.value.casefold(), figure.direction
    if told.setdefault(key, value) != value:
        fault = f"figure {fact.id} of #{fact.pull}: {figure.metric!r} has another value elsewhere"
        report.error(item, "figure_two_values", fault, _named(figure))
