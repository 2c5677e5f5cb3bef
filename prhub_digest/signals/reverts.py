"""Reverts: which pull request of the week takes back which."""

import re
from collections.abc import Iterator, Mapping, Sequence

from prhub_digest.models.pull_request import PullRequest

# `Revert "x"`, `revert: x`, `[Revert] x`, `Revert #5`, `Revert moving x`; not `Revert button is misplaced`.
_PREFIX = re.compile(
    r"""^\s*(?:\[(?!revert\])[^\]\n]{1,40}\]\s*)*
    (?:\[revert\]|reverts?:|revert(?=\s*["“'「]|\s+(?:pr\s+)?\#\d|\s+(?:the|some|all|part|back|to|changes?|\w+ing)\b)|回滚)\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_TITLE_NUMBER = re.compile(r"(?:pr\s+)?#(\d+)", re.IGNORECASE)
_QUOTED = re.compile(r"""^["“'「](.*)["”'」]""", re.DOTALL)
_NUMBER_SUFFIX = re.compile(r"\s*\(#\d+\)\s*$")
# A whole line, so that neither a quotation nor "this does not revert #5" counts.
_BODY_NUMBER = re.compile(
    r"^[ \t]*(?:this (?:pr )?)?reverts?:?[ \t]+(?:pr[ \t]+)?"
    r"(?:https://[\w.-]+/)?(?P<repository>[\w.-]+/[\w.-]+)?(?:#|/pull/)(?P<number>\d+)[ \t]*[.。]?[ \t\r]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BODY_COMMIT = re.compile(r"^[ \t]*this reverts commit (?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE | re.MULTILINE)


def is_revert(pull: PullRequest) -> bool:
    """Whether the title or the body says that it takes back an earlier change, of this week or before.

    A revert of a revert brings the change back: it is none.
    """
    return revert_depth(pull) % 2 == 1


def revert_depth(pull: PullRequest) -> int:
    """How many reverts are nested in the title (`Revert "Revert "x""` is 2); a body that names a revert is one."""
    depth, title = 0, pull.title
    while (inner := _reverted_title(title)) is not None:
        depth, title = depth + 1, inner
    return depth or int(_names_a_revert(pull.body or ""))


def revert_links(pulls: Sequence[PullRequest]) -> Mapping[int, int]:
    """Each revert of the week to the pull request of the week that it takes back; nothing is taken back twice.

    A body that names a number or commit is believed before the title. The order of `pulls` does not matter.
    """
    links: dict[int, int] = {}
    by_time = sorted(pulls, key=lambda pull: (pull.merged_at, pull.number))
    for place, pull in enumerate(by_time):
        if revert_depth(pull) == 0:
            continue
        taken = set(links.values())
        target = next(_targets(pull, [other for other in by_time[:place] if other.number not in taken]), None)
        if target is not None:
            links[pull.number] = target
    return links


def standing(numbers: Sequence[int], links: Mapping[int, int]) -> tuple[int, ...]:
    """The numbers whose change is still there at the end: a revert and what it took back cancel each other."""
    reverted_by = {target: revert for revert, target in links.items()}
    gone: set[int] = set()
    for last in (number for number in links if number not in reverted_by):
        chain = [last]
        while chain[-1] in links:
            chain.append(links[chain[-1]])
        # Of a chain of odd length, the newest brought the first one's change back and stands for it.
        gone.update(chain if len(chain) % 2 == 0 else chain[1:])
    return tuple(number for number in numbers if number not in gone)


def _targets(pull: PullRequest, earlier: Sequence[PullRequest]) -> Iterator[int]:
    """Candidates among the pull requests merged before, most certain first."""
    body = pull.body or ""
    named = {int(found["number"]) for found in _BODY_NUMBER.finditer(body) if _same_repository(found, pull)}
    commits = [found["sha"].casefold() for found in _BODY_COMMIT.finditer(body)]
    newest_first = list(reversed(earlier))
    yield from (other.number for other in newest_first if other.number in named)
    for sha in commits:
        yield from (other.number for other in newest_first if (other.merge_commit or "").startswith(sha))
    inner = _reverted_title(pull.title)
    number = _TITLE_NUMBER.match(inner or "")
    if number:
        yield from (other.number for other in newest_first if other.number == int(number[1]))
    if inner is not None and not named:
        wanted = _plain_title(inner)
        yield from (other.number for other in newest_first if _plain_title(other.title) == wanted)


def _reverted_title(title: str) -> str | None:
    """What a title says it reverts, without the quotation marks; None for a title of another kind."""
    prefix = _PREFIX.match(title)
    if prefix is None:
        return None
    rest = title[prefix.end() :]
    quoted = _QUOTED.match(rest)
    return quoted[1] if quoted else rest


def _plain_title(title: str) -> str:
    return " ".join(_NUMBER_SUFFIX.sub("", title).casefold().split())


def _names_a_revert(body: str) -> bool:
    return _BODY_COMMIT.search(body) is not None or _BODY_NUMBER.search(body) is not None


def _same_repository(found: re.Match[str], pull: PullRequest) -> bool:
    named = found["repository"]
    return named is None or pull.url is None or f"/{named.casefold()}/pull/" in pull.url.casefold()
