"""Pull requests that a text names, and what titles have in common."""

import re
from collections.abc import Iterator
from functools import lru_cache

from prhub_digest.models.people import same_person
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.replies import plain_text

# `#12`, `owner/name#12`, `https://host/owner/name/pull/12`; in a list, in brackets, or as the text of a link.
_REFERENCE = re.compile(
    r"[\s(\[:*-]*(?:(?:PRs?|pull requests?|MR)\s*)?[\s(\[]*"
    r"(?:(?:https?://[\w.-]+/)?(?P<repository>[\w.-]+/[\w.-]+))?(?:#|/pull/|/-/merge_requests/)(?P<number>\d{1,9})\b"
    r"(?:\#[\w-]+)?[\])]*(?:\([^()\s]*\))?",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\s*(?:,|，|、|&|和|与|\band\b)?")
_LISTED = 20
_MENTION = re.compile(r"#\d|/pull/\d|/merge_requests/\d")
# Between a word and the number that it speaks of stand an address at most.
_REACH, _AFTER = 160, 20
# What a pull request is about stands at the head of its body.
_READ = 20_000
_KEPT = 512
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NUMBER_SUFFIX = re.compile(r"(?:\s*\(#\d+\))+\s*$")
_WORD = re.compile(r"[^\W_]+(?:[._][^\W_]+)*")
# Words that titles of unrelated changes share.
_COMMON = frozenset(
    _WORD.findall(
        "a an and as at be by for from in into is it of on or the to with without via when use uses using add adds"
        " added fix fixes fixed update updates updated remove removes support supports make move rename improve enable"
        " allow test tests docs doc feat chore refactor perf ci bugfix more new part step phase"
    )
)


def body_text(pull: PullRequest) -> str:
    """The body without code, quoted lines and the comments of a template."""
    return _cleaned((pull.body or "")[:_READ])


# Each rule reads the body again.
@lru_cache(maxsize=_KEPT)
def _cleaned(text: str) -> str:
    if "<!--" in text:
        text = _COMMENT.sub("", text)
    return plain_text(text) if "`" in text or ">" in text else text


def numbers_at(text: str, position: int, pull: PullRequest) -> tuple[int, ...]:
    """The pull requests of the same repository that are listed from `position` on, in the text's order."""
    numbers: list[int] = []
    for _ in range(_LISTED):
        found = _REFERENCE.match(text, position)
        if found is None:
            break
        if same_repository(found["repository"], pull) and int(found["number"]) != pull.number:
            numbers.append(int(found["number"]))
        joint = _NEXT.match(text, found.end())
        position = joint.end() if joint else found.end()
    return tuple(dict.fromkeys(numbers))


def numbers_after(lead: re.Pattern[str], text: str, pull: PullRequest) -> tuple[int, ...]:
    """The pull requests that are listed right after a match of `lead`."""
    found = (numbers_at(text, match.end(), pull) for match in leads(lead, text))
    return tuple(dict.fromkeys(number for numbers in found for number in numbers))


def leads(lead: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of `lead` that stand near a reference; the rest of a long text is not searched."""
    position = 0
    for found in _MENTION.finditer(text):
        start = max(position, found.start() - _REACH)
        for match in lead.finditer(text, start, found.end() + _AFTER):
            position = match.end()
            yield match
        position = max(position, found.start())


def same_repository(named: str | None, pull: PullRequest) -> bool:
    return named is None or pull.url is None or f"/{named.casefold()}/" in pull.url.casefold()


def names(text: str, number: int) -> bool:
    """Whether a text names the number, as `#12` or in a link."""
    if str(number) not in text:
        return False
    return re.search(rf"(?:#|/pull/|/merge_requests/){number}\b", text) is not None


def plain_title(title: str) -> str:
    """In lower case, without the number at the end, one space between words."""
    return " ".join(_NUMBER_SUFFIX.sub("", title).casefold().split())


def content_words(title: str) -> frozenset[str]:
    """The words of a title that say what it is about, a plural as its singular."""
    words = (word for word in _WORD.findall(title.casefold()) if word not in _COMMON and len(word) > 1)
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words)


def share_an_author(one: PullRequest, other: PullRequest) -> bool:
    """Whether one person wrote at both."""
    return any(
        same_person(mine, theirs) is True
        for mine in (one.author, *one.co_authors)
        for theirs in (other.author, *other.co_authors)
    )
