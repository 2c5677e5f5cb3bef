"""Which of a period's merged pull requests a digest is about, and which are only named in it."""

from typing import Literal

from pydantic import Field

from prhub_digest.models.base import Record

SetAsideReason = Literal["base", "bot", "author", "label", "path"]


class Filters(Record):
    """Each list holds glob patterns; one that begins with `!` keeps out what it matches.

    A pull request stays when it matches one of a list's other patterns (any, if there are none) and none with `!`;
    for `paths`, when one of its files does. `base` without patterns is the default branch. `bots`: `group` names the
    pull requests of bots in one line.
    """

    base: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    bots: Literal["group", "include"] = "group"


class SetAside(Record):
    """A merged pull request that a filter keeps out; `detail` is its branch, author, ..., for a reader."""

    number: int = Field(gt=0)
    title: str
    reason: SetAsideReason
    detail: str = ""
