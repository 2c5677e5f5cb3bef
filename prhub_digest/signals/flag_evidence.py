"""Words of a flag's evidence: places with the text that stands there, and what cannot be known."""

from collections.abc import Iterable
from typing import NamedTuple

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signals import Flag, FlagName
from prhub_digest.signals.changes import file_list_is_whole

_NAMED = 3
_LONGEST_QUOTE = 80


class Place(NamedTuple):
    """A line that raises a flag: `what` is a word or two (`added`), `line` is on the old side of what was removed."""

    path: str
    line: int | None
    what: str
    text: str = ""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        quote = " ".join(self.text.split())
        if len(quote) > _LONGEST_QUOTE:
            quote = quote[: _LONGEST_QUOTE - 1] + "…"
        return f"{place} {self.what}" + (f": {quote}" if quote else "")


def from_places(pull: PullRequest, name: FlagName, places: Iterable[Place], otherwise: str, unread: str = "") -> Flag:
    """Raised by any place; else not raised, or unknown where something of the diff is not.

    `unread` names a file whose changed lines matter and are not all known.
    """
    found = list(dict.fromkeys(places))
    if found:
        return Flag(name=name, raised=True, evidence=listed(map(str, found), "; "))
    if pull.completeness.diff == "missing":
        return Flag(name=name, raised=None, evidence="the diff is not known")
    if unread:
        return Flag(name=name, raised=None, evidence=f"not all changed lines of {unread} are known")
    return unless_cut(pull, name, otherwise)


def unless_cut(pull: PullRequest, name: FlagName, evidence: str) -> Flag:
    """Not raised, but unknown when files may be missing from the list."""
    if file_list_is_whole(pull):
        return Flag(name=name, raised=False, evidence=evidence)
    return Flag(name=name, raised=None, evidence="the list of changed files is cut")


def listed(items: Iterable[str], between: str = ", ") -> str:
    """The first three, and how many more."""
    all_items = list(items)
    more = len(all_items) - _NAMED
    return between.join(all_items[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
