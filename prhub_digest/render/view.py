"""The page of a digest in reading order. Pure: the same input gives the same page."""

import re

from prhub_digest.render.brief import brief_sections
from prhub_digest.render.closing import closing, closing_of_nothing
from prhub_digest.render.inline import plain
from prhub_digest.render.mark import mark_of
from prhub_digest.render.page import Page
from prhub_digest.render.prose import changes, executive, highlights, recommendations, trends
from prhub_digest.render.records import HighlightRule, Line, Paragraph, PullHead, RenderInput, Section, View
from prhub_digest.render.risks import risks
from prhub_digest.render.sentences import notable_templates
from prhub_digest.render.set_aside import set_aside_fact
from prhub_digest.render.tables import pulls_by_area, statistics

__all__ = ["HighlightRule", "PullHead", "RenderInput", "View", "build_view"]

_WEEK = re.compile(r"(\d{4})-W(\d{2})")


def build_view(given: RenderInput, *, brief: bool = False) -> View:
    """Everything a renderer needs, in order, in the digest's language; `brief`: what one reads in a minute.

    Raises:
        PrhubError: a sentence cites an id, a statistic or a pull request that does not exist.
    """
    page = Page(given)
    digest = given.digest
    first, last = digest.period.days
    return View(
        language=digest.language,
        mode=digest.mode,
        repository=digest.repository,
        web_url=page.web_url,
        period={
            "label": digest.period.label,
            "first_day": first.isoformat(),
            "last_day": last.isoformat(),
            "timezone": digest.period.timezone,
        },
        title=_title(page),
        facts=_facts(page),
        sections=brief_sections(page) if brief and page.numbers else _sections(page),
        mark=mark_of(digest.usage, digest.language),
    )


def _sections(page: Page) -> tuple[Section, ...]:
    if not page.numbers:
        others = page.given.collection.set_aside
        empty = Paragraph((Line(plain(page.say("empty.set_aside") if others else page.say("empty.period"))),))
        named = (pulls_by_area(page),) if others else ()
        return (Section("empty", page.say("section.executive"), (empty,)), *named, *closing_of_nothing(page))
    if page.given.digest.mode == "facts":
        return (statistics(page), risks(page), highlights(page), pulls_by_area(page), closing(page))
    return (
        executive(page),
        changes(page),
        trends(page),
        risks(page),
        highlights(page),
        recommendations(page),
        pulls_by_area(page),
        closing(page),
    )


def _title(page: Page) -> str:
    week = _WEEK.fullmatch(page.given.digest.period.label)
    repository = page.given.digest.repository
    if week is None:
        return page.say("title.days", repository=repository)
    return page.say("title.week", repository=repository, year=week[1], week=int(week[2]))


def _facts(page: Page) -> tuple[str, ...]:
    """The period, then the counts that every reader wants first."""
    digest = page.given.digest
    first, last = digest.period.days
    facts = [page.say("fact.period", first=first, last=last, timezone=digest.period.timezone)]
    if _WEEK.fullmatch(digest.period.label):
        facts.append(page.say("fact.week", label=digest.period.label))
    facts.append(page.say("fact.merged", n=len(page.numbers)))
    if page.given.collection.set_aside:
        facts.append(set_aside_fact(page))
    if net := page.count("pulls.net"):
        facts.append(page.say("fact.net", n=net.value))
    direct = page.given.collection.direct_commits
    facts.append(page.say("fact.direct_unknown") if direct is None else page.say("fact.direct", n=direct))
    if page.numbers:
        facts.append(page.say("fact.highlights", n=digest.announced_highlights, units=page.changes))
    if digest.mode == "facts":
        facts.append(page.say("fact.no_model"))
    elif templates := notable_templates(page):
        facts.append(page.say("fact.templates", n=templates, total=len(digest.sentences)))
    return tuple(facts)
