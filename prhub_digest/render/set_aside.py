"""The merged pull requests that the filters keep out: how many in the line of facts, each by link at the end."""

from typing import get_args

from prhub_digest.models.filters import SetAside, SetAsideReason
from prhub_digest.render.inline import Inline, Span, clip, code, plain
from prhub_digest.render.page import Page
from prhub_digest.render.records import Items, Line, Section

# As a reader cares about them; a reason that is new in the records comes last.
_ORDER: tuple[SetAsideReason, ...] = tuple(dict.fromkeys(("bot", "base", *get_args(SetAsideReason))))
_DETAIL_LIMIT = 80


def set_aside_fact(page: Page) -> str:
    """`14 more set aside (12 by bots, 2 into other branches)`."""
    reasons = [page.say(f"aside.{reason}", n=len(pulls)) for reason, pulls in _by_reason(page).items()]
    total = len(page.given.collection.set_aside)
    return page.say("fact.set_aside", n=total, reasons=page.say("mark.list").join(reasons))


def set_aside(page: Page) -> Section:
    """A line for each reason."""
    heading = page.say("section.set_aside") + page.say("mark.count", n=len(page.given.collection.set_aside))
    lines = tuple(_line(page, reason, pulls) for reason, pulls in _by_reason(page).items())
    return Section("pulls.set_aside", heading, (Items(lines),))


def _line(page: Page, reason: SetAsideReason, pulls: list[SetAside]) -> Line:
    """`By bots (3): #12, #15 (dependabot); #20 (renovate).`, the longest group first."""
    groups: dict[str, list[int]] = {}
    for pull in pulls:
        groups.setdefault(pull.detail, []).append(pull.number)
    spans: list[Span] = []
    for detail, numbers in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        spans += [Span(page.say("mark.semicolon"))] if spans else []
        spans += [*page.pull_links(tuple(sorted(numbers))), *_bracket(page, reason, detail)]
    head = page.say(f"set_aside.{reason}") + page.say("mark.count", n=len(pulls)) + page.say("mark.colon")
    data = {"set_aside": len(pulls), "reason": reason}
    return Line(tuple(spans), (Span(head),), stop=page.say("mark.stop"), data=data)


def _bracket(page: Page, reason: SetAsideReason, detail: str) -> Inline:
    """The branch, author, ... of a group; a branch and a path are names in code."""
    told = clip(code(detail) if reason in {"base", "path"} else plain(detail), _DETAIL_LIMIT)
    return (Span(page.say("mark.open")), *told, Span(page.say("mark.close"))) if detail.strip() else ()


def _by_reason(page: Page) -> dict[SetAsideReason, list[SetAside]]:
    pulls = page.given.collection.set_aside
    found = {reason: [pull for pull in pulls if pull.reason == reason] for reason in _ORDER}
    return {reason: listed for reason, listed in found.items() if listed}
