"""Series: pull requests that are parts of one work, by a mark in the title, by their branches, or by naming another."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.signals.references import (
    body_text,
    content_words,
    leads,
    numbers_after,
    numbers_at,
    plain_title,
    share_an_author,
)

_WORD = r"(?:part|parts|pt\.?|step|phase|pr|patch)"
_OF = r"(?P<part>\d{1,2})\s*(?:/|\bof\b)\s*(?P<total>\d{1,2}|n)"
# `(2/3)`, `[KV cache 2/3]`, `[part 2 of 3]`; then `2/3: x`, `part 2 of 3`, `part 2`, `step 2:`, 第 2 部分, 之二.
_MARKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"[\[(（【]\s*(?P<tag>[^\[\]()（）【】/\d]{{0,40}}?)[\s:,-]*(?:{_WORD}\s*)?{_OF}\s*[\])）】]",
        rf"^\s*(?:{_WORD}\s+)?{_OF}\s*[:：]",
        rf"\b(?:part|pt\.?)\s*{_OF}\b",
        r"\b(?:part|pt)\b\.?\s*(?P<part>\d{1,2}|I{1,3}|IV|V|one|two|three|four|five)\b(?!\s*[/%]|\.\d)",
        r"(?:^|[\[(（,:-])\s*(?:step|phase)\s+(?P<part>\d{1,2}|I{1,3}|IV|V)\s*(?=[\])）:]|$)",
        (
            r"[（(\[【]?\s*第\s*(?P<part>\d{1,2}|[一二三四五六七八九十])\s*(?:部分|步|阶段|弹)"
            r"(?:\s*[,，/]?\s*共\s*(?P<total>\d{1,2}|[二三四五六七八九十])\s*(?:部分|步|阶段|弹)?)?\s*[）)\]】]?"
        ),
        r"之\s*(?P<part>[一二三四五六七八九十])\s*(?=$|[:：])",
    )
)
_NUMERALS = {
    word: value
    for words in (
        ("i", "ii", "iii", "iv", "v"),
        ("one", "two", "three", "four", "five"),
        ("first", "second", "third", "fourth", "fifth"),
        ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十"),
    )
    for value, word in enumerate(words, 1)
}
_MOST_PARTS = 30
# Titles that carry a date or a share.
_DATED = re.compile(
    r"\b(?:nightly|daily|weekly|notes?|changelog|snapshot|meeting|minutes|sync|ratio|scale|precision|fraction)\b"
    r"|日报|周报|每日|会议|比例|纪要",
    re.IGNORECASE,
)
# What makes a lone `(2/3)` a part: a word of the body about the others.
_TELLS_OF_OTHERS = re.compile(
    rf"\b(?:series|stack(?:ed)?|follow[- ]?ups?|next PR|previous PR|(?:first|second|last|next|final)\s+{_WORD}"
    rf"|{_WORD}\s*\d)\b"
    r"|\b\d/\d\b|系列|后续|下一个|拆分|第.部分",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\bfollow(?:s|ing)?[- ]?ups?\s*(?:(?:PR|change|fix|work|patch)\s+)?(?:to|of|for|on|from|after|:)(?=\W)"
    r"|\b(?:builds?|building|based|stacked|layered)\s+(?:directly\s+)?(?:on\s+top\s+of|upon|on)(?=\W)"
    r"|\bcontinuation\s+(?:of|from)(?=\W)|\bcontinues(?:\s+(?:on|from))?(?=\W)"
    r"|\bdepend(?:s|ent|ing)?\s+(?:up)?on(?=\W)|\b(?:precursor|prerequisite)\s+(?:to|for|of)(?=\W)"
    r"|\b(?:preparation|groundwork)\s+for(?=\W)|\b(?:next|second|final|last)\s+(?:part|step|piece)\s+(?:of|after)(?=\W)"
    r"|\b(?:split|spun|extracted|pulled|broken)\s+(?:off\s+|out\s+)?(?:from|of)(?=\W)"
    r"|(?:基于|依赖于?|接续|承接|延续|跟进|叠在|拆自|拆分自)",
    re.IGNORECASE,
)
_FOLLOWED_ZH = re.compile(r"(?=#\d{1,9}\s*的(?:后续|跟进|续|第|拆分))")
# `This is step 3 in rebooting #5`: a step of what #5 was to do at once.
_STEP = re.compile(
    r"(?:^|(?<=[.!:]\s)|\()[ \t]*(?:(?:this|it)\s+(?:PR\s+|change\s+)?(?:is|implements|completes)\s+)?(?:the\s+)?"
    r"(?:(?:step|part|phase|piece|PR)\s+(?P<part>\d{1,2})|(?P<ordinal>first|second|third|fourth|fifth)\s+(?:step|part|phase|piece|PR))"
    r"(?:\s*(?:/|\bof\b)\s*\d{1,2})?\s+(?:of|in|to|towards?)\s+(?:(?:the\s+)?\w+\s+(?:(?:up|out|off|of)\s+)?){0,2}(?=\W)",
    re.IGNORECASE | re.MULTILINE,
)
_STEP_ZH = re.compile(r"(?=#\d{1,9}\s*的第\s*(?P<part>\d{1,2}|[一二三四五六七八九十])\s*(?:步|部分|阶段))")
_DENIED = re.compile(
    r"\b(?:no|not|never|without)\b(?:\s+\w+){0,2}\s*$|n['’]t\s+(?:\w+\s+)?$|[不没无非]$|不再$", re.IGNORECASE
)
_TRUNKS = frozenset({"main", "master", "trunk", "develop", "dev", "next"})
_SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """`part` of `total` (None when it is not said), the words of the brackets, and the title without the mark."""

    part: int
    total: int | None
    tag: str
    stem: str


@dataclass(frozen=True, slots=True)
class Joint:
    """Two pull requests that belong together, and by which words or rule."""

    one: int
    other: int
    how: str


def mark_of(title: str) -> Mark | None:
    """The part of a series that a title says it is; None for a fraction, a date, or nothing."""
    for pattern in _MARKS:
        found = pattern.search(title)
        if found is None:
            continue
        groups = found.groupdict()
        part, total = _number(groups["part"]), _number(groups.get("total"))
        if part is None or part < 1 or (total is not None and not (part <= total and 2 <= total <= _MOST_PARTS)):
            continue
        tag, stem = plain_title(groups.get("tag") or ""), title[: found.start()] + " " + title[found.end() :]
        if _DATED.search(title):
            return None
        return Mark(part, total, tag.strip(" :-"), plain_title(stem).strip(" :,;-"))
    return None


def is_lone_part(pull: PullRequest) -> bool:
    """Whether a part that stands alone in the week is one: `n/N` with words in its brackets, or a body about others."""
    mark = mark_of(pull.title)
    return mark is not None and mark.total is not None and bool(mark.tag or _TELLS_OF_OTHERS.search(body_text(pull)))


def series_joints(pulls: Sequence[PullRequest], settings: SignalSettings) -> Iterator[Joint]:
    """What belongs together as a series; the order of `pulls` does not matter."""
    ordered = sorted(pulls, key=lambda pull: pull.number)
    within = timedelta(days=settings.series_days)
    yield from _by_marks(ordered, within)
    yield from _by_branches(ordered)
    yield from _by_steps(ordered, within)
    by_number = {pull.number: pull for pull in ordered}
    for pull in ordered:
        for number in _followed(pull):
            other = by_number.get(number)
            near = other is not None and abs(pull.merged_at - other.merged_at) <= within
            if other is not None and near and share_an_author(pull, other):
                yield Joint(pull.number, number, f"#{pull.number} names #{number} as what it continues")


def _by_marks(pulls: Sequence[PullRequest], within: timedelta) -> Iterator[Joint]:
    marked = [(pull, mark) for pull in pulls if (mark := mark_of(pull.title))]
    for (one, mine), (other, theirs) in combinations(marked, 2):
        if abs(one.merged_at - other.merged_at) <= within and _same_series(one, mine, other, theirs):
            yield Joint(one.number, other.number, f"parts {mine.part} and {theirs.part}")
    unmarked = {plain_title(pull.title): pull for pull in pulls if mark_of(pull.title) is None}
    for pull, mark in marked:
        first = unmarked.get(mark.stem)
        if first is None or mark.part == 1 or not _is_long(mark.stem):
            continue
        if timedelta(0) <= pull.merged_at - first.merged_at <= within:
            yield Joint(pull.number, first.number, f"part {mark.part} of the same title")


def _is_long(stem: str) -> bool:
    """Whether a title says enough that two of it are no accident; Chinese has no spaces to count."""
    return len(stem.split()) >= _SHORTEST_STEM or (not stem.isascii() and len(stem) >= 2 * _SHORTEST_STEM)


def _same_series(one: PullRequest, mine: Mark, other: PullRequest, theirs: Mark) -> bool:
    """Different parts of one whole: the same words, and the same author or base branch.

    Where only the number of parts is the same, one author and a word of the titles in common.
    """
    if mine.part == theirs.part or (mine.total and theirs.total and mine.total != theirs.total):
        return False
    same_words = (mine.tag and mine.tag == theirs.tag) or (mine.stem and mine.stem == theirs.stem)
    if same_words:
        return share_an_author(one, other) or one.base_branch == other.base_branch
    if mine.tag or theirs.tag or mine.total is None or theirs.total is None:
        return False
    return share_an_author(one, other) and bool(content_words(mine.stem) & content_words(theirs.stem))


def _by_branches(pulls: Sequence[PullRequest]) -> Iterator[Joint]:
    """One that was merged into another's branch; branches that most of the week goes into are nobody's."""
    bases = Counter(pull.base_branch for pull in pulls if pull.base_branch)
    heads = {pull.head_branch: pull for pull in pulls if pull.head_branch}
    for pull in pulls:
        base = pull.base_branch
        below = heads.get(base) if base and base not in _TRUNKS and bases[base] * 2 <= len(pulls) else None
        if below is not None and below.number != pull.number:
            yield Joint(pull.number, below.number, f"#{pull.number} went into the branch of #{below.number}")


def _by_steps(pulls: Sequence[PullRequest], within: timedelta) -> Iterator[Joint]:
    """Different steps of one thing that their author names, which need not be of the week."""
    steps = [(pull, number, part) for pull in pulls for number, part in _steps(pull)]
    for (one, whole, mine), (other, same, theirs) in combinations(steps, 2):
        near = abs(one.merged_at - other.merged_at) <= within
        if whole == same and mine != theirs and near and share_an_author(one, other):
            yield Joint(one.number, other.number, f"steps {mine} and {theirs} of #{whole}")


def _steps(pull: PullRequest) -> Iterator[tuple[int, int]]:
    """The pull requests or issues of which the body says that this one is a step, and which step."""
    text = body_text(pull)
    for lead in (_STEP, _STEP_ZH):
        for found in leads(lead, text):
            groups = found.groupdict()
            part = _number(groups["part"] or groups.get("ordinal"))
            if part is not None:
                yield from ((number, part) for number in numbers_at(text, found.end(), pull)[:1])


def _followed(pull: PullRequest) -> tuple[int, ...]:
    """The pull requests that the body or the title says it follows, builds on or depends on."""
    text = f"{pull.title}\n{body_text(pull)}"
    said = (
        found for found in leads(_FOLLOWS, text) if not _DENIED.search(text[max(0, found.start() - 30) : found.start()])
    )
    named = [number for found in said for number in numbers_at(text, found.end(), pull)]
    return tuple(dict.fromkeys((*named, *numbers_after(_FOLLOWED_ZH, text, pull))))


def _number(text: str | None) -> int | None:
    if text is None or text.casefold() == "n":
        return None
    return int(text) if text.isdecimal() else _NUMERALS[text.casefold()]
