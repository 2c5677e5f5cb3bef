"""Sentences with what they cite: figures, statistics and pull requests, written from the records alone."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from prhub_digest.models.chunk import Place
from prhub_digest.models.digest import Language, Sentence
from prhub_digest.models.stats import Count
from prhub_digest.models.summary import Figure
from prhub_digest.render.inline import Inline, Span, clip, parse_sentence, plain, tidied
from prhub_digest.render.metric_names import metric_name
from prhub_digest.render.page import TITLE_LIMIT, Page
from prhub_digest.render.phrases import KEYS, number_text, say
from prhub_digest.render.records import Citation, Evidence, Line

_STOP = re.compile(r"(?:\.{3}|…+|[。.!！?？])$")
# A baseline in the value's own unit; another unit beside an arrow would compare what cannot be compared.
_BARE_NUMBER = re.compile(r"[~≈<>]?\s*[+\-−]?\d[\d.,\s]*")
# Words that say the direction themselves; a sign or an arrow beside them would say it twice, or turn it round.
_DIRECTION = re.compile(
    r"\b(?:slower|faster|lower|higher|less|more|fewer|greater|smaller|larger|bigger|longer|shorter|better|worse|up|down"
    r"|(?:in|de)creas(?:e[ds]?|ing)|reduc(?:ed|tion)|improve(?:d|ment)|drop(?:ped)?|gain(?:ed)?|rise|rose|fall|fell"
    r"|sav(?:ed|ings?)|speed-?up|slow-?down|regression)\b|[慢快更升降增减高低多少]|缩短|延长",
    re.IGNORECASE,
)
_SPEAKS_OF_MEASURING = re.compile(r"\b(?:measur|stat(?:ed|es)\b|report|claim)|测|声称|说明|描述", re.IGNORECASE)
_HOURS_AS_DAYS = 48
# A longer bracket hides the sentence that it belongs to.
_LONGEST_IN_SENTENCE = 60
# Measures of the pull requests that they are out of, not a part of them.
_MEASURES = frozenset({"median", "p90"})
_TIGHT_UNITS = frozenset({"x", "X", "×", "倍"})
_JOINTS = {"statistic": "mark.semicolon", "pull": "mark.list", "risk": "mark.semicolon"}


def sentence_line(page: Page, sentence: Sentence, *, lead: Inline = (), own: int | None = None) -> Line:
    """A sentence of the digest with its citations; `own` is the pull request that `lead` links already.

    Raises:
        PrhubError: it cites an id, a path or a pull request that does not exist.
    """
    worded = parse_sentence(sentence.text, page.language)
    if sentence.origin == "template":  # which may hold a title, as long as its author made it
        worded = clip(worded, TITLE_LIMIT)
    text, stop = _without_stop(worded, page.language)
    facts = [page.fact(fact_id) for fact_id in (*sentence.claims, *sentence.figures)]
    figures = [
        Citation("figure", fact.id, figure_text(page.language, fact.figure), page.pull_url(fact.pull))
        for fact in facts
        if fact.figure
    ]
    statistics = [Citation("statistic", path, statistic_text(page, page.cited_count(path))) for path in sentence.stats]
    pulls = [
        Citation("pull", str(number), f"#{number}", page.pull_url(number))
        for number in dict.fromkeys(fact.pull for fact in facts)
        if number != own
    ]
    inline, below = told_figures(page.language, [fact.figure for fact in facts if fact.figure])
    return Line(
        text=text,
        lead=lead,
        stop=stop,
        citations=(*figures, *statistics, *pulls),
        figures=inline,
        below=tuple(plain(text) for text in below),
        evidence=tuple(
            Evidence(
                claim=fact.id,
                pull=fact.pull,
                url=page.pull_url(fact.pull),
                quote=fact.evidence.quote if fact.evidence else None,
                place=place_text(fact.evidence.place) if fact.evidence else None,
            )
            for fact in facts
        ),
        item=sentence.item,
        origin=sentence.origin,
    )


def line_spans(line: Line, language: Language) -> Inline:
    """The line in order: lead, text, figures that stand in it, a bracket for each other kind of citation, the stop."""
    spans = [*line.lead, *line.text]
    if line.figures:
        spans.append(Span(say(language, "mark.open") + line.figures + say(language, "mark.close")))
    for kind, joint in _JOINTS.items():
        cited = [citation for citation in line.citations if citation.kind == kind]
        for index, citation in enumerate(cited):
            spans.append(Span(say(language, joint if index else "mark.open")))
            spans.append(Span(citation.text, "link", citation.url) if kind == "pull" else Span(citation.text))
        if cited:
            spans.append(Span(say(language, "mark.close")))
    return (*spans, Span(line.stop)) if line.stop else tuple(spans)


def figure_text(language: Language, figure: Figure) -> str:
    """Metric, baseline and value with unit and direction, condition, whose measurement: as the record has them."""
    return _joined(language, _measured(language, figure), _measured_under(language, figure))


def told_figures(language: Language, figures: Sequence[Figure]) -> tuple[str, tuple[str, ...]]:
    """What stands in a bracket after the sentence, and what stands below it, a line for each measurement.

    A short figure alone goes into the sentence; figures of one measurement name its condition once.
    """
    if len(figures) == 1 and len(inline := figure_text(language, figures[0])) <= _LONGEST_IN_SENTENCE:
        return inline, ()
    below = []
    for under, own in groupby(figures, lambda figure: _measured_under(language, figure)):
        measured = say(language, "mark.semicolon").join(_measured(language, figure) for figure in own)
        below.append(measured + (say(language, "mark.open") + under + say(language, "mark.close") if under else ""))
    return "", tuple(below)


def _measured(language: Language, figure: Figure) -> str:
    metric = metric_name(tidied(figure.metric.replace("`", "")), language)
    return " ".join(part for part in (metric, _value_text(language, figure)) if part)


def _measured_under(language: Language, figure: Figure) -> str:
    """The condition, and who measured."""
    return _joined(language, _condition(figure), _measured_by(language, figure))


def _condition(figure: Figure) -> str:
    return tidied(figure.condition.replace("`", ""))


def _measured_by(language: Language, figure: Figure) -> str:
    """Empty for the author, whose figures the page says they are, and where the condition says it."""
    told = figure.measured_by == "unknown" and _SPEAKS_OF_MEASURING.search(_condition(figure))
    return "" if told or figure.measured_by == "author" else say(language, f"measured.{figure.measured_by}")


def _joined(language: Language, *parts: str) -> str:
    return say(language, "mark.comma").join(part for part in parts if part)


def statistic_text(page: Page, count: Count) -> str:
    """`code without tests 3 / 16 PRs`, and how many of them are a change and its revert."""
    cancelled = count.cancelled(page.given.signals.cancelled)
    net = page.say("mark.comma") + page.say("statistic.cancelled", n=cancelled) if cancelled else ""
    return f"{statistic_name(page.language, count)} {statistic_value(page, count)}{net}"


def statistic_name(language: Language, count: Count) -> str:
    """The name in words; a key of its own (an area, a login, a path) stands as it is."""
    known = next((key for key in _names(count) if key in KEYS), None)
    if known:
        return say(language, known)
    group = f"group.{count.group}"
    return say(language, group, key=own_name(language, count)) if group in KEYS else tidied(count.path)


def own_name(language: Language, count: Count) -> str:
    """A key of its own as it stands; a label may be empty, which is said."""
    return tidied(count.key) or (say(language, "empty.label") if count.group == "labels" else "")


def statistic_value(page: Page, count: Count) -> str:
    """The value, what it is counted out of, the unit; pull requests are counted out of all unless the record says."""
    denominator = count.denominator
    merged = page.count("pulls.merged")
    if denominator is None and count.unit == "pulls" and count.path != "pulls.merged" and merged:
        denominator = int(merged.value)
    counted = count.value if denominator is None else denominator
    if count.unit == "hours":
        return _duration(page, count.value)
    if count.key in _MEASURES:
        return f"{number_text(count.value)} {page.say(f'unit.{count.unit}', n=count.value)}"
    part = f" / {denominator:,}" if denominator is not None else ""
    return f"{number_text(count.value)}{part} {page.say(f'unit.{count.unit}', n=counted)}"


def place_text(place: Place) -> str:
    """`src/a.py:12`, else what kind of text it is."""
    if place.path is None:
        return place.kind
    return f"{place.path}:{place.line}" if place.line is not None else place.path


def _duration(page: Page, hours: float) -> str:
    """Hours up to two days, then days with one decimal."""
    if hours < _HOURS_AS_DAYS:
        return f"{number_text(hours)} {page.say('unit.hours')}"
    return f"{hours / 24:,.1f} {page.say('unit.days')}"


def _names(count: Count) -> tuple[str, ...]:
    return (f"stat.{count.path}", *(f"{name}.{count.key}" for name in ("flag", "type") if count.group == f"{name}s"))


def _without_stop(spans: Inline, language: Language) -> tuple[Inline, str]:
    """The brackets stand before the final stop, so it is taken off; a sentence without one gets it."""
    stop = say(language, "mark.stop")
    if not spans or spans[-1].kind != "plain" or spans[-1].strong:
        return spans, stop
    match = _STOP.search(spans[-1].text)
    if match is None:
        return spans, stop
    rest = replace(spans[-1], text=spans[-1].text[: match.start()])
    return (*spans[:-1], rest), stop if match[0] in ".。" else match[0]


def _value_text(language: Language, figure: Figure) -> str:
    value, unit, baseline = tidied(figure.value), tidied(figure.unit), tidied(figure.baseline)
    start = baseline.removesuffix(unit).rstrip() if unit else baseline
    directed = _DIRECTION.search(f"{value} {unit}") is not None
    if _BARE_NUMBER.fullmatch(start) and not directed:
        measured = _with_unit(value, unit)
        if figure.baseline_is == "before":
            return f"{start} → {measured}"
        return f"{measured}{say(language, 'figure.against', baseline=_with_unit(start, unit))}"
    signed = _with_unit(value if directed else _signed(value, unit, figure), unit)
    return f"{signed}{say(language, 'figure.against', baseline=baseline)}" if baseline else signed


def _signed(value: str, unit: str, figure: Figure) -> str:
    """A change in per cent carries its sign; any other value an arrow in front."""
    if figure.direction == "none" or value[:1] in "+-−" or not any(map(str.isdigit, value)):
        return value
    if value[0].isdigit() and ("%" in unit or value.endswith("%")):
        return ("+" if figure.direction == "up" else "−") + value
    return ("↑ " if figure.direction == "up" else "↓ ") + value


def _with_unit(value: str, unit: str) -> str:
    if not unit or value.endswith(unit):
        return value
    return f"{value}{unit}" if unit in _TIGHT_UNITS else f"{value} {unit}"
