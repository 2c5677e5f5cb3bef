"""What a pull request is one change with: its series, what it takes back, ports, or brings again."""

from prhub_digest.models.signals import PullRequestSignals, Unit
from prhub_digest.render.inline import Inline, Span
from prhub_digest.render.page import Page

_MANY = 6


def unit_remarks(page: Page, number: int) -> list[Inline]:
    """`reverts #8`, `reverted by #9`, `series of 3, with #4, #5`, `ports #2`; empty for one that stands alone."""
    signals, unit = page.signals(number), page.unit(number)
    remarks: list[Inline] = []
    if signals and signals.reverts is not None:
        key = "entry.relands" if _is_revert(page.signals(signals.reverts)) else "entry.reverts"
        remarks.append((Span(page.say(key)), page.pull_link(signals.reverts)))
    if signals and signals.reverted_by is not None:
        key = "entry.relanded_by" if _is_revert(signals) else "entry.reverted_by"
        remarks.append((Span(page.say(key)), page.pull_link(signals.reverted_by)))
    if unit is not None:
        remarks += _joined(page, number, unit, told=bool(remarks))
    return remarks


def _joined(page: Page, number: int, unit: Unit, *, told: bool) -> list[Inline]:
    """With which others it is one change; of a revert only what its own link does not tell."""
    others = tuple(other for other in unit.pulls if other != number and other in page.numbers)
    remarks: list[Inline] = []
    if unit.kind == "series" and unit.announced:
        remarks.append((Span(page.say("unit_kind.series_of", n=unit.announced)), *_with(page, others)))
    elif others and not told:
        kind = unit.kind if unit.kind in {"series", "backport", "twin"} else "joined"
        remarks.append((Span(page.say(f"unit_kind.{kind}")), *_with(page, others)))
    if unit.before and not others:
        again = unit.kind == "revert" and not _is_revert(page.signals(number))
        what = "again" if again else unit.kind if unit.kind in {"revert", "backport"} else "twin"
        remarks.append((Span(page.say(f"before.{what}")), *page.pull_links(unit.before[:_MANY])))
    return remarks


def _with(page: Page, others: tuple[int, ...]) -> Inline:
    """`, with #4, #5 and 3 more`."""
    if not others:
        return ()
    more = len(others) - _MANY
    rest = (Span(page.say("mark.comma") + page.say("mark.more", n=more)),) if more > 0 else ()
    return (Span(page.say("unit_kind.with")), *page.pull_links(others[:_MANY]), *rest)


def _is_revert(signals: PullRequestSignals | None) -> bool:
    return signals is not None and signals.change_type == "revert"
