"""The computed sections: statistics, and every pull request of the period by area, those set aside last."""

from prhub_digest.models.stats import Count
from prhub_digest.render.citations import own_name, statistic_name, statistic_value
from prhub_digest.render.inline import Inline, Span, clip, code, parse_sentence, plain, tidied
from prhub_digest.render.page import Page
from prhub_digest.render.records import Items, Line, Paragraph, Section, Table
from prhub_digest.render.set_aside import set_aside
from prhub_digest.render.units import unit_remarks

_OVERVIEW = (
    "pulls",
    "units",
    "commits",
    "lines",
    "size",
    "people",
    "threads",
    "hours_to_first_review",
    "hours_to_merge",
)
_TABLES = ("areas", "platforms", "modules", "types", "sizes", "labels", "authors", "new_authors", "reviewers", "files")
# Named by a phrase, not by a key of their own.
_PHRASED = frozenset({"overview", "types", "sizes"})
_ROWS = 12
_REASON_LIMIT = 200
_HEADLINE_LIMIT = 400


def statistics(page: Page) -> Section:
    """The counts of a facts-only digest; long groups are cut, and say so."""
    overview = [count for group in _OVERVIEW for count in page.given.stats.group(group) if _is_told(count)]
    parts = [_part(page, "overview", overview)] if overview else []
    parts += [_part(page, group, counts) for group in _TABLES if (counts := list(page.given.stats.group(group)))]
    return Section("statistics", page.say("section.statistics"), parts=tuple(parts))


def pulls_by_area(page: Page) -> Section:
    """Areas with most pull requests first; in each, rank order. Then those that the digest is not about."""
    areas: dict[str, list[int]] = {}
    for number in page.numbers:
        signals = page.signals(number)
        areas.setdefault(signals.area if signals else page.say("entry.other"), []).append(number)
    missing = page.not_summarised()
    parts = [
        Section(
            f"pulls.{area}",
            area + page.say("mark.count", n=len(numbers)),
            (Items(tuple(_entry(page, number, missing) for number in numbers)),),
        )
        for area, numbers in sorted(areas.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    if page.given.collection.set_aside:
        parts.append(set_aside(page))
    return Section("pulls", page.say("section.pulls"), parts=tuple(parts))


def _part(page: Page, group: str, counts: list[Count]) -> Section:
    title = page.say(f"table.{group}")
    shown = counts if group == "overview" else counts[:_ROWS]
    if len(shown) < len(counts):
        title = page.say("table.first", title=title, n=len(shown), total=len(counts))
    columns = (page.say("column.measure") if group == "overview" else title, page.say("column.value"))
    rows = tuple((_name(page, group, count), plain(statistic_value(page, count))) for count in shown)
    table = Table(columns, rows)
    if group == "overview" and page.count("threads.open"):
        return Section(f"statistics.{group}", title, (table, Paragraph((Line(plain(page.say("threads.open_means"))),))))
    return Section(f"statistics.{group}", title, (table,))


def _is_told(count: Count) -> bool:
    """An outcome that no review thread has is a row less; that none was left open is worth one."""
    return bool(count.value) or count.group != "threads" or count.key in {"total", "open", "deferred"}


def _name(page: Page, group: str, count: Count) -> Inline:
    if group in _PHRASED:
        return plain(statistic_name(page.language, count))
    return code(count.key) if group == "files" else plain(own_name(page.language, count))


def _entry(page: Page, number: int, missing: dict[int, str]) -> Line:
    """`#9 title (reverts #8; by a bot)`, and below it what the pull request does by its summary."""
    title = page.title(number)
    spans: list[Span] = [page.pull_link(number), *((Span(" "), *title) if title else ())]
    remarks = _remarks(page, number, missing)
    for index, remark in enumerate(remarks):
        spans += [Span(page.say("mark.semicolon" if index else "mark.open")), *remark]
    if remarks:
        spans.append(Span(page.say("mark.close")))
    headline = _headline(page, number)
    return Line(tuple(spans), below=(headline,) if headline else (), data={"pull": number})


def _headline(page: Page, number: int) -> Inline:
    """The summary's headline where evidence was found for it; a title may claim too much, or say too little.

    None for what was reverted: a headline would tell it as lasting. In another language it stands below its own title.
    """
    summary, head, signals = page.summary(number), page.given.pulls.get(number), page.signals(number)
    if signals is not None and signals.reverted_by is not None:
        return ()
    if summary is None or summary.status != "summarized" or summary.headline_evidence is None:
        return ()
    text = page.line(f"{number}.headline") or summary.headline
    same = head is not None and _bare(head.title) == _bare(text)
    return () if same else clip(parse_sentence(text, page.language), _HEADLINE_LIMIT)


def _bare(text: str) -> str:
    return tidied(text).removesuffix(".").casefold()


def _remarks(page: Page, number: int, missing: dict[int, str]) -> list[Inline]:
    signals = page.signals(number)
    remarks = unit_remarks(page, number)
    if signals and signals.bot:
        remarks.append((Span(page.say("entry.bot")),))
    if number in missing:
        remarks.append((Span(page.say("entry.not_summarised")), *clip(plain(missing[number]), _REASON_LIMIT)))
    return remarks
