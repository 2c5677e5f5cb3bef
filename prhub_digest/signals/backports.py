"""Backports and cherry-picks: what was brought from one branch to another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.references import body_text, numbers_after, numbers_at, plain_title
from prhub_digest.signals.series import Joint

_PORT = r"(?:back-?ports?|back-?ported|cherry[- ]?pick(?:s|ed)?)"
_TAGS = r"^\s*(?:\[[^\]\n]{1,40}\]\s*)*"
# `[Backport 1.2] x`, `[PR #5/0123abcd backport][1.2] x`, 【回合】x
_BRACKET = re.compile(
    rf"[\[(]\s*(?:PR\s*#\d+(?:/[0-9a-f]+)?\s+)?(?:auto(?:mated|matic)?[- ])?{_PORT}\b[^\]\n]{{0,40}}[\])]"
    r"|[\[【]\s*(?:回合|回港|拣选|向后移植)[^\]】\n]{0,40}[\]】]",
    re.IGNORECASE,
)
# `Backport #5 to 1.x`, `Cherry-pick "x" onto 2.0`, `cherry-pick(#5): x`, `Automated cherry pick of #5`, 回合 #5
_VERB = re.compile(
    rf"""{_TAGS}(?:\w+(?:\([\w/-]+\))?:\s+)?(?:(?:auto(?:mated|matic)?)\s+)?(?:{_PORT}|回合|拣选|向后移植)
    (?:\s+of)?\s*[(:：]?\s*(?=["“「`\#]|(?:PR|pull\s+request)\s*\#?\d|https?://|(?:commit\s+)?[0-9a-f]{{7,40}}\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_TITLE_NUMBERS = re.compile(
    rf"(?:{_PORT}|回合|拣选|向后移植)\s*(?:of|from)?\s*[(:：]?(?=[\s#]*(?:PRs?\s*)?#?\d)", re.IGNORECASE
)
_BRACKET_NUMBER = re.compile(rf"\[\s*PR\s*(?=#\d+(?:/[0-9a-f]+)?\s+{_PORT}\b)", re.IGNORECASE)
# A squashed port keeps the number that its original's title ends in.
_ENDING_NUMBER = re.compile(r"\(#(\d{1,9})\)\s*$")
_QUOTED = re.compile(r"""["“「`](?P<title>[^"”」`\n]+)["”」`]""")
_TO_BRANCH = re.compile(r"\s+(?:on)?to\s+[`'\"]?[\w./-]*\d[\w./-]*[`'\"]?\s*$", re.IGNORECASE)
_BODY = re.compile(
    r"(?:^|(?<=[.:]\s))[ \t]*(?:this\s+(?:PR\s+)?(?:is\s+)?)?(?:an?\s+)?(?:auto(?:mated|matic)?\s+)?"
    rf"(?:(?:{_PORT})(?:\s+PR)?|回合|拣选|向后移植)\s*(?:of|from|for)?(?=\W)",
    re.IGNORECASE | re.MULTILINE,
)
# The line that `git cherry-pick -x` adds.
_PICKED = re.compile(r"^[ \t]*\(cherry[- ]picked from commit (?P<sha>[0-9a-f]{7,40})\)", re.IGNORECASE | re.MULTILINE)
# `backport-5-to-1.x`, `mergify/bp/1.x/pr-5`
_HEAD = re.compile(
    r"^(?:back-?port|auto-?backport|cherry-?pick|patchback/backports|mergify/bp)[/-]"
    r"(?:(?P<number>\d{1,9})-(?:to|on|onto|into)-|.*?\bpr-(?P<pr>\d{1,9})$)?",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"^(?:releases?[/_-].+|stable(?:[/_-].+)?|.+[/_-]stable|maint(?:enance)?[/_-].+|v?\d+(?:\.\d+)*(?:[.-](?:x|\d+))?(?:-(?:dev|lts|branch))?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Port:
    """What a pull request says it brings over: numbers, commits, the original's title."""

    numbers: tuple[int, ...]
    commits: tuple[str, ...]
    title: str


def is_release_branch(branch: str | None) -> bool:
    """Whether a base branch is one of released versions: `release/1.2`, `1.x`, `stable/2024.1`."""
    return branch is not None and _RELEASE.match(branch) is not None


def port_of(pull: PullRequest) -> Port | None:
    """The change that a pull request says it brings over, by title, body or branch; None when it is no port."""
    text = body_text(pull)
    verb, bracket = _VERB.search(pull.title), _BRACKET.search(pull.title)
    branch = _HEAD.match(pull.head_branch or "")
    body = numbers_after(_BODY, text, pull)
    commits = tuple(found["sha"].casefold() for found in _PICKED.finditer(text))
    if not (verb or bracket or branch or body or commits):
        return None
    number = (branch["number"] or branch["pr"]) if branch else None
    titled = (*numbers_after(_TITLE_NUMBERS, pull.title, pull), *numbers_after(_BRACKET_NUMBER, pull.title, pull))
    numbers = (
        *titled,
        *(numbers_at(pull.title, verb.end(), pull) if verb else ()),
        *body,
        *([int(number)] if number else ()),
        *([int(ending[1])] if (ending := _ENDING_NUMBER.search(pull.title)) else ()),
    )
    own = tuple(dict.fromkeys(named for named in numbers if named != pull.number))
    return Port(own, commits, _original_title(pull.title, verb))


def is_port(pull: PullRequest) -> bool:
    """Whether one whose original is not of the week is a port: the original is named, or it went into a release branch.

    Where the branch is not known, the words of the title are enough.
    """
    port = port_of(pull)
    if port is None:
        return False
    return bool(port.numbers or port.commits) or pull.base_branch is None or is_release_branch(pull.base_branch)


def backport_joints(pulls: Sequence[PullRequest]) -> Iterator[Joint]:
    """Each port with its original, and ports of one original with each other; the order does not matter."""
    ordered = sorted(pulls, key=lambda pull: pull.number)
    ports = [(pull, port) for pull in ordered if (port := port_of(pull))]
    ported = {pull.number for pull, _ in ports}
    originals = [pull for pull in ordered if pull.number not in ported]
    first: dict[int | str, int] = {}
    for pull, port in ports:
        for other in originals:
            if how := _how(port, other):
                yield Joint(pull.number, other.number, f"#{pull.number} ports #{other.number}: {how}")
        keys: tuple[int | str, ...] = (*port.numbers, *port.commits)
        for key in keys:
            if (earlier := first.setdefault(key, pull.number)) != pull.number:
                yield Joint(earlier, pull.number, f"both port {f'#{key}' if isinstance(key, int) else key[:12]}")


def _how(port: Port, other: PullRequest) -> str | None:
    if other.number in port.numbers:
        return "named"
    if any((other.merge_commit or "").startswith(sha) for sha in port.commits):
        return "its commit is named"
    if port.numbers:
        return None
    return "the same title" if port.title and plain_title(other.title) == port.title else None


def _original_title(title: str, verb: re.Match[str] | None) -> str:
    """The title without what makes it a port's."""
    rest = title[verb.end() :] if verb else _BRACKET.sub(" ", title)
    quoted = _QUOTED.match(rest.strip()) if verb else None
    return plain_title(quoted["title"] if quoted else _TO_BRANCH.sub("", rest) if verb else rest).strip(" :-")
