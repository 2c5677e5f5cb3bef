"""Risks: sentences, the table of flags, and the review threads left open."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from prhub_digest.models.signals import UNSETTLED, FlagName, OutcomeName, PullRequestSignals, ThreadOutcome
from prhub_digest.models.stats import Count
from prhub_digest.models.summary import Severity, UnsettledThread
from prhub_digest.render.citations import sentence_line
from prhub_digest.render.inline import Inline, Span, clip, code, parse_sentence, parse_title, plain, tidied
from prhub_digest.render.page import Page
from prhub_digest.render.phrases import KEYS, number_text
from prhub_digest.render.records import Block, Items, Line, Paragraph, Section, Table

_ORDER: tuple[Severity, ...] = ("high", "medium", "low")
_WORDING_LIMIT = 480
_REPLIES = re.compile(r"(\d+) repl(?:y|ies)$")


@dataclass(frozen=True, slots=True)
class _Thread:
    pull: int
    outcome: ThreadOutcome
    worded: UnsettledThread | None

    @property
    def severity(self) -> Severity:
        return self.worded.severity if self.worded else self.outcome.severity


def risks(page: Page) -> Section:
    """Numbered sentences when a model wrote, then what rules found."""
    blocks: tuple[Block, ...] = ()
    if page.given.digest.mode == "model":
        lines = tuple(sentence_line(page, sentence) for sentence in page.given.digest.risks)
        blocks = (Items(lines, ordered=True) if lines else Paragraph((Line(plain(page.say("empty.section"))),)),)
    return Section("risks", page.say("section.risks"), blocks, (*_flags(page), *_threads(page)))


def _flags(page: Page) -> tuple[Section, ...]:
    """Each flag: raised out of known, how many are unknown if any, which pull requests; those known nowhere by name."""
    counts = {name: page.count(f"flags.{name}") for name in get_args(FlagName)}
    unsure = any(count and _unknown(page, count) for count in counts.values())
    names = ("flag", "count", *(("unknown",) if unsure else ()), "pulls")
    columns = tuple(page.say(f"column.{name}") for name in names)
    rows = tuple(_flag_row(page, name, count, unsure=unsure) for name, count in counts.items() if count)
    remarks = [page.say("flags.apart")] if rows else []
    if unknown := [page.say(f"flag.{name}") for name, count in counts.items() if not count]:
        remarks.append(page.say("flags.unknown", names=page.say("mark.list").join(unknown)))
    blocks: tuple[Block, ...] = (Paragraph(tuple(Line(plain(remark)) for remark in remarks)),)
    return (Section("risks.flags", page.say("section.flags"), (*([Table(columns, rows)] if rows else []), *blocks)),)


def _unknown(page: Page, count: Count) -> int:
    return len(page.numbers) - (count.denominator or 0)


def _flag_row(page: Page, name: FlagName, count: Count, *, unsure: bool) -> tuple[Inline, ...]:
    unknown = _unknown(page, count)
    return (
        plain(page.say(f"flag.{name}")),
        plain(f"{number_text(count.value)} / {count.denominator or 0:,}"),
        *((plain(f"{unknown:,}" if unknown else ""),) if unsure else ()),
        page.pull_links(count.pulls),
    )


def severe_thread_lines(page: Page) -> tuple[Line, ...]:
    """The threads of high severity that were left open or disputed."""
    found = _found(page, _known(page))
    severe = (thread for thread in found if thread.severity == "high" and thread.outcome.outcome != "deferred")
    return tuple(_thread_line(page, thread) for thread in severe)


def _known(page: Page) -> list[PullRequestSignals]:
    """The pull requests whose threads the source knows."""
    return [signals for number in page.numbers if (signals := page.signals(number)) and signals.threads is not None]


def _found(page: Page, known: Sequence[PullRequestSignals]) -> list[_Thread]:
    """The threads that were not settled, the worst first."""
    found = [
        _Thread(signals.pull, outcome, _worded(page, signals.pull, outcome.thread))
        for signals in known
        for outcome in signals.threads or ()
        if outcome.outcome in UNSETTLED
    ]
    return sorted(found, key=lambda thread: _ORDER.index(thread.severity))


def _threads(page: Page) -> tuple[Section, ...]:
    """Those left open or disputed, then those left for later, if there are any; the worst first."""
    known = _known(page)
    found = _found(page, known)
    left_open = tuple(_thread_line(page, thread) for thread in found if thread.outcome.outcome != "deferred")
    deferred = tuple(_thread_line(page, thread) for thread in found if thread.outcome.outcome == "deferred")
    blocks: list[Block] = [Items(left_open)] if left_open else []
    outcomes = [outcome.outcome for signals in known for outcome in signals.threads or ()]
    if remarks := _thread_remarks(page, len(known), outcomes):
        blocks.append(Paragraph(tuple(Line(plain(remark)) for remark in remarks)))
    later = Section("risks.deferred", page.say("section.deferred"), (Items(deferred),))
    return (Section("risks.threads", page.say("section.threads"), tuple(blocks)), *([later] if deferred else []))


def _thread_remarks(page: Page, known: int, outcomes: Sequence[OutcomeName]) -> list[str]:
    cut = any(map(page.conversation_cut, page.numbers))
    if not known:
        return [page.say("threads.unread" if cut else "threads.unknown")]
    total, undecided = len(page.numbers), outcomes.count("unknown")
    none = "threads.none_read" if cut else "threads.none" if outcomes else "threads.absent"
    remarks = [] if {"open", "disputed"} & set(outcomes) else [page.say(none)]
    if undecided:
        remarks.append(page.say("threads.undecided", n=undecided))
    if known < total:
        remarks.append(page.say("threads.some_unknown", n=total - known, total=total))
    return remarks


def _worded(page: Page, number: int, thread: str) -> UnsettledThread | None:
    summary = page.summary(number)
    return next((open_ for open_ in summary.unsettled_threads if open_.thread == thread), None) if summary else None


def _thread_line(page: Page, thread: _Thread) -> Line:
    """`high · src/a.py:12 · #9 (thread): wording (not resolved, no reply; taken up by #12)`; `high · disputed · …`."""
    outcome = thread.outcome
    joint = Span(page.say("mark.joint"))
    place = outcome.path if outcome.line is None else f"{outcome.path}:{outcome.line}"
    url = page.own_url(outcome.url)
    link = (Span(page.say("mark.open")), Span(page.say("entry.thread"), "link", url), Span(page.say("mark.close")))
    lead: Inline = (
        Span(page.say(f"severity.{thread.severity}"), strong=True),
        joint,
        *((Span(page.say("threads.disputed"), strong=True), joint) if outcome.outcome == "disputed" else ()),
        *code(place),
        joint,
        page.pull_link(thread.pull),
        *(link if url else ()),
        Span(page.say("mark.colon")),
    )
    return Line(
        (*_wording(page, thread), *_in_brackets(page, outcome)),
        lead,
        data={
            "pull": thread.pull,
            "thread": outcome.thread,
            "path": outcome.path,
            "line": outcome.line,
            "url": url,
            "severity": thread.severity,
            "outcome": outcome.outcome,
            "reason": outcome.reason,
            **({"follow_ups": ", ".join(f"#{number}" for number in outcome.follow_ups)} if outcome.follow_ups else {}),
        },
    )


def _in_brackets(page: Page, outcome: ThreadOutcome) -> Inline:
    """The reason, then the pull requests that take the thread up."""
    later: Inline = ()
    if outcome.follow_ups:
        told = Span(page.say("mark.semicolon") + page.say("threads.taken_up"))
        later = (told, *page.pull_links(outcome.follow_ups))
    return (Span(page.say("mark.open") + _reason(page, outcome.reason)), *later, Span(page.say("mark.close")))


def _wording(page: Page, thread: _Thread) -> Inline:
    """The model's wording, or the first comment itself in quotation marks; with `asked:` when it was deferred."""
    if thread.worded and thread.worded.worded_by == "model":
        text = page.line(f"{thread.pull}.thread.{thread.outcome.thread}") or thread.worded.text
        return clip(parse_sentence(text, page.language), _WORDING_LIMIT)
    said = thread.worded.text if thread.worded else thread.outcome.first_comment
    asked = page.say("entry.asked") if thread.outcome.outcome == "deferred" else ""
    return (Span(asked + "“"), *clip(parse_title(said), _WORDING_LIMIT), Span("”"))


def _reason(page: Page, reason: str) -> str:
    """The reason in the digest's language; one that has no phrase stands as it is."""
    replies = _REPLIES.search(reason)
    key = "reason." + _REPLIES.sub("{n} replies", reason)
    return page.say(key, n=int(replies[1]) if replies else 0) if key in KEYS else tidied(reason)
