"""The page for one minute: what it comes to, the first highlights, what to look at, what was not read."""

from prhub_digest.models.digest import Highlight
from prhub_digest.models.signals import FlagName
from prhub_digest.render.citations import sentence_line
from prhub_digest.render.closing import unread_lines
from prhub_digest.render.inline import Inline, Span, plain
from prhub_digest.render.page import Page
from prhub_digest.render.prose import executive
from prhub_digest.render.records import Items, Line, Section
from prhub_digest.render.risks import severe_thread_lines

_HIGHLIGHTS, _THREADS, _NAMED = 5, 8, 5
# What a person decides about, whatever the summaries say.
_MUST_LOOK: tuple[FlagName, ...] = ("security_path", "migration", "public_api", "default_changed", "no_approval")


def brief_sections(page: Page) -> tuple[Section, ...]:
    """Sections of the whole page, cut short; one that has nothing to say is left out, but for what was not read."""
    listed = page.given.digest.highlights[:_HIGHLIGHTS]
    found = (
        *((executive(page),) if page.given.digest.mode == "model" else ()),
        _section(page, "highlights", tuple(_line(page, highlight) for highlight in listed)),
        _section(page, "look", (*_thread_lines(page), *_flag_lines(page))),
        _section(page, "unread", unread_lines(page)),
    )
    return tuple(section for section in found if section.blocks)


def _section(page: Page, key: str, lines: tuple[Line, ...]) -> Section:
    return Section(f"brief.{key}", page.say(f"brief.{key}"), (Items(lines),) if lines else ())


def _line(page: Page, highlight: Highlight) -> Line:
    """One sentence, whose figures stand on the whole page; the title where no model wrote."""
    lead = (page.pull_link(highlight.pull, strong=True), Span(page.say("mark.colon")))
    data = {"pull": highlight.pull, "importance": highlight.importance}
    if page.given.digest.mode == "facts":
        return Line(page.title(highlight.pull), lead, data=data)
    worded = sentence_line(page, highlight.sentence)
    return Line(worded.text, lead, worded.stop, item=worded.item, origin=worded.origin, data=data)


def _thread_lines(page: Page) -> tuple[Line, ...]:
    lines = severe_thread_lines(page)
    rest = len(lines) - _THREADS
    more = (Line(plain(page.say("mark.more", n=rest))),) if rest > 0 else ()
    return (*lines[:_THREADS], *more)


def _flag_lines(page: Page) -> tuple[Line, ...]:
    """`default value changed: #9, #12, and 3 more`, the most important first."""
    raised = ((name, page.count(f"flags.{name}")) for name in _MUST_LOOK)
    return tuple(
        Line(
            _first_links(page, frozenset(count.pulls)),
            (Span(page.say(f"flag.{name}") + page.say("mark.colon")),),
            data={"flag": name, "count": len(count.pulls)},
        )
        for name, count in raised
        if count and count.pulls
    )


def _first_links(page: Page, pulls: frozenset[int]) -> Inline:
    ranked = tuple(number for number in page.numbers if number in pulls)
    rest = len(ranked) - _NAMED
    more = (Span(page.say("mark.comma") + page.say("mark.more", n=rest)),) if rest > 0 else ()
    return (*page.pull_links(ranked[:_NAMED]), *more)
