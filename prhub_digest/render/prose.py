"""The sections in words: summary, changes by theme, trends, highlights, recommendations."""

from dataclasses import replace

from prhub_digest.models.digest import Highlight, Recommendation, Sentence
from prhub_digest.models.stats import Count
from prhub_digest.render.citations import own_name, sentence_line
from prhub_digest.render.inline import Inline, Span, code, plain
from prhub_digest.render.page import Page
from prhub_digest.render.records import Block, Citation, Items, Line, Paragraph, Section, Table
from prhub_digest.render.sentences import theme_heading

_ALL_NAMED = 10
_NAMED = 8


def executive(page: Page) -> Section:
    lines = tuple(sentence_line(page, sentence) for sentence in page.given.digest.executive)
    return Section("executive", page.say("section.executive"), (Items(lines),) if lines else _nothing(page))


def changes(page: Page) -> Section:
    """One part a theme, under its name and the keys of its areas."""
    parts = tuple(
        Section(f"changes.{theme.areas[0]}", theme_heading(page, theme), _items(page, theme.sentences))
        for theme in page.given.digest.themes
        if theme.sentences
    )
    blocks = _whose_figures(page) if parts else _nothing(page)
    return Section("changes", page.say("section.changes"), blocks, parts)


def trends(page: Page) -> Section:
    """The model's sentences, then this week's kinds, labels and most changed files by count."""
    sentences = tuple(sentence_line(page, sentence) for sentence in page.given.digest.trends)
    tallies = tuple(
        line for line in (_tally(page, "types"), _tally(page, "labels"), _tally(page, "files")) if line is not None
    )
    lines = (*sentences, *tallies)
    return Section("trends", page.say("section.trends"), (Items(lines),) if lines else _nothing(page))


def highlights(page: Page) -> Section:
    """As many entries as the digest announces; a table when no model wrote."""
    listed = page.given.digest.highlights
    block: Block
    if not listed:
        block = Paragraph((Line(plain(page.say("empty.highlights"))),))
    elif page.given.digest.mode == "facts":
        block = _highlight_table(page, listed)
    else:
        block = Items(tuple(_highlight(page, highlight) for highlight in listed))
    return Section("highlights", page.say("section.highlights"), (*_announcement(page), block))


def recommendations(page: Page) -> Section:
    listed = page.given.digest.recommendations
    places = {sentence.item: place for place, sentence in enumerate(page.given.digest.risks, 1)}
    lines = tuple(_recommendation(page, recommendation, places) for recommendation in listed)
    blocks = (Items(lines, ordered=True),) if lines else _nothing(page)
    return Section("recommendations", page.say("section.recommendations"), blocks)


def _items(page: Page, sentences: tuple[Sentence, ...]) -> tuple[Block, ...]:
    return (Items(tuple(sentence_line(page, sentence) for sentence in sentences)),)


def _nothing(page: Page) -> tuple[Block, ...]:
    return (Paragraph((Line(plain(page.say("empty.section"))),)),)


def _whose_figures(page: Page) -> tuple[Block, ...]:
    """Whose measurements the figures of the page are, before the first of them."""
    measured = any(sentence.figures for sentence in page.given.digest.sentences)
    return (Paragraph((Line(plain(page.say("figures.whose"))),)),) if measured else ()


def _tally(page: Page, group: str) -> Line | None:
    """`Labels: bug (12), perf (8), and 3 more`."""
    known = page.given.stats.group(group)
    if not known:
        return None
    counts = known if len(known) <= _ALL_NAMED else known[:_NAMED]
    spans: list[Span] = []
    for count in counts:
        name = code(count.key) if group == "files" else plain(_name(page, count))
        spans += [Span(page.say("mark.list")), *name] if spans else name
        spans.append(Span(page.say("mark.count", n=count.value)))
    if len(counts) < len(known):
        spans.append(Span(page.say("mark.comma") + page.say("mark.more", n=len(known) - len(counts))))
    lead = Span(page.say(f"table.{group}") + page.say("mark.colon"))
    data = {count.key: count.value for count in counts}
    return Line((lead, *spans), stop=page.say("mark.stop"), data=data)


def _name(page: Page, count: Count) -> str:
    return page.say(f"type.{count.key}") if count.group == "types" else own_name(page.language, count)


def _announcement(page: Page) -> tuple[Block, ...]:
    """How many of how many, and by which rule."""
    n, rule = page.given.digest.announced_highlights, page.given.highlight_rule
    if not n:
        return ()
    text = (
        page.say("highlights.rule", n=n, units=page.changes, most=rule.most, percent=rule.percent)
        if rule
        else page.say("highlights.share", n=n, units=page.changes)
    )
    forced = len({*page.given.ranking.highlights}.intersection(rule.forced)) if rule else 0
    by_people = [page.say("highlights.forced", n=forced)] if forced else []
    return (Paragraph(tuple(Line(plain(told)) for told in (text, *by_people, page.say("highlights.units")))),)


def _highlight(page: Page, highlight: Highlight) -> Line:
    importance = page.say("entry.importance", n=f"{highlight.importance:.1f}")
    title = page.title(highlight.pull)
    lead: Inline = (
        page.pull_link(highlight.pull, strong=True),
        *((Span(" "), *title) if title else ()),
        Span(page.say("mark.open") + importance + page.say("mark.comma")),
        *plain(highlight.area),
        Span(page.say("mark.close") + page.say("mark.colon")),
    )
    line = sentence_line(page, highlight.sentence, lead=lead, own=highlight.pull)
    return replace(line, data={"pull": highlight.pull, "importance": highlight.importance, "area": highlight.area})


def _highlight_table(page: Page, listed: tuple[Highlight, ...]) -> Table:
    columns = tuple(page.say(f"column.{name}") for name in ("pull", "title", "importance", "area"))
    rows = tuple(
        (
            (page.pull_link(highlight.pull),),
            page.title(highlight.pull),
            plain(f"{highlight.importance:.1f}"),
            plain(highlight.area),
        )
        for highlight in listed
    )
    return Table(columns, rows)


def _recommendation(page: Page, recommendation: Recommendation, places: dict[str, int]) -> Line:
    line = sentence_line(page, recommendation.sentence)
    place = places.get(recommendation.risk)
    if place is None:
        return line
    answer = Citation("risk", recommendation.risk, page.say("entry.answers", n=place))
    return replace(line, citations=(*line.citations, answer), data={"risk": recommendation.risk})
