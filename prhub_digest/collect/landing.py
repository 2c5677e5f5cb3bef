"""Which pull request a commit of the main line belongs to, by the words of its message (pure)."""

import re
from dataclasses import dataclass

from prhub_digest.models.accounts import account_name, named_as_bot
from prhub_digest.models.pull_request import Person

_GITHUB_MERGE = re.compile(r"Merge pull request #([0-9]{1,9}) from (\S+)")
_GITLAB_MERGE = re.compile(r"See merge request (?:\S*)!([0-9]{1,9})")
_GITLAB_BRANCH = re.compile(r"Merge branch '([^']+)' into ")
_LAST_NUMBER = re.compile(r"\s*\(#([0-9]{1,9})\)\s*$")
_TRAILER = re.compile(r"(?:[A-Za-z]+(?:-[A-Za-z]+)*-by|Change-Id|Cc|See merge request):? .*", re.IGNORECASE)
_CO_AUTHOR = re.compile(r"Co-authored-by:\s*(.*?)\s*(?:<[^>]*>)?\s*", re.IGNORECASE)
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Landing:
    """What a message says: the pull request's number, title, text and branch; `gitlab` decides how it is linked."""

    number: int
    title: str
    body: str
    head_branch: str | None = None
    gitlab: bool = False


def landing(message: str) -> Landing | None:
    """The pull request that a commit message names as its own, None for a commit that belongs to none.

    Known forms: GitHub's merge commits, GitLab's merge commits, and a subject that ends in `(#N)`. The last number
    counts: `Revert "x (#12)" (#15)` is 15.
    """
    subject, _, body = message.strip("\n").partition("\n")
    if match := _GITHUB_MERGE.match(subject):
        title, text = _first_line(body)
        branch = match[2].partition("/")[2] or match[2]
        return _valid(Landing(int(match[1]), title or subject, text, branch))
    for line in reversed(body.split("\n")):
        if match := _GITLAB_MERGE.fullmatch(line.strip()):
            title, text = _first_line(body)
            of = _GITLAB_BRANCH.match(subject)
            title = subject if of is None or title == line.strip() else title
            return _valid(Landing(int(match[1]), title, text, of[1] if of else None, gitlab=True))
    return _squashed(subject, body)


def _squashed(subject: str, body: str) -> Landing | None:
    match = _LAST_NUMBER.search(subject)
    title = subject[: match.start()] if match else subject
    if title.endswith(_CUT):  # GitHub shortens a long subject and goes on in the body
        rest, text = _first_line(body)
        if rest.startswith(_CUT):
            title = title.removesuffix(_CUT) + rest.removeprefix(_CUT)
            body = text
            inner = _LAST_NUMBER.search(title)
            title = title[: inner.start()] if inner else title
            match = match or inner
    return _valid(Landing(int(match[1]), title.strip() or subject, body)) if match else None


def _valid(found: Landing) -> Landing | None:
    return found if found.number > 0 else None


def _first_line(body: str) -> tuple[str, str]:
    first, _, rest = body.lstrip("\n").partition("\n")
    return first.strip(), rest


def without_trailers(body: str) -> str | None:
    """The text without `...-by:` lines and the rule that GitHub draws above them; None when nothing is left."""
    lines = [line.rstrip() for line in body.split("\n") if not _TRAILER.fullmatch(line.strip())]
    text = "\n".join(lines).strip()
    return re.sub(r"\n*-{5,}$", "", text).strip() or None


def co_authors(message: str, author: str) -> tuple[Person, ...]:
    """People of the `Co-authored-by` lines, once each, without the author; names only."""
    names = (match[1] for line in message.split("\n") if (match := _CO_AUTHOR.fullmatch(line.strip())))
    return tuple(person(name) for name in dict.fromkeys(names) if name and name != author)


def person(name: str) -> Person:
    """A person by the name that a commit carries; an e-mail address used as a name loses its domain.

    A bot's name ends in `[bot]`; what stands before it is its account.
    """
    shown = name.partition("@")[0] if re.fullmatch(r"\S+@\S+", name) else name
    if named_as_bot(shown):
        return Person(name=account_name(shown) or "unknown", kind="bot")
    return Person(name=shown or "unknown")
