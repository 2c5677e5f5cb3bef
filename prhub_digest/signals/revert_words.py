"""What a pull request says it takes back or brings back: title, body and branch."""

import re
from dataclasses import dataclass
from functools import lru_cache

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.references import body_text, numbers_after, numbers_at, same_repository

_QUOTES = "\"“'‘「『《`"
# What follows a verb that takes back: a title in quotation marks, a number, a commit.
_OBJECT = rf"\s*(?:of\s+)?(?=[{_QUOTES}#]|(?:PR|pull\s+request)\s*\#?\d|(?:commit\s+)?[0-9a-f]{{7,40}}\b)"
_TAGS = r"^\s*(?:(?:\[(?!\s*re-?(?:vert|land|apply))[^\]\n]{1,40}\]|【(?!回滚|回退|撤销|重新)[^】\n]{1,40}】)\s*)*"
_SCOPE = r"(?:(?!re-?(?:vert|land|apply))[\w./-]{1,30}(?:\([^()\n]{0,30}\))?(?:\s[\w./-]{1,30}){0,3}!?:\s+)?"
# Tells for certain. `Revert button is misplaced` and 回退到 CPU do not.
_REVERT = re.compile(
    rf"""{_TAGS}{_SCOPE}(?P<partial>partial(?:ly)?\s+)?(?:
    \[\s*revert\s*\]|【(?:revert|回滚|回退|撤销)】|reverts?(?:\([^()\n]{{0,40}}\))?!?[:：]
    |(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)?\s?out|roll(?:s|ed|ing)?\s?back|undo|unland){_OBJECT}
    |回滚\s*[:：]|(?:回滚|回退|撤销|还原|撤回)\s*(?=[“"「『《\#]|PR\s*\#?\d|提交\s*[0-9a-f]{{7}})
    |回滚(?=\s+\S)|(?:回滚|回退|撤销|还原|撤回)(?=[^，。到至]{{1,40}}(?:改动|修改|变更|提交|合并)\s*(?:[（(]|$))
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
# `Revert the new layout`: a verb at the head of the title, unless what follows makes it a noun or a condition.
_REVERT_VERB = re.compile(
    rf"""{_TAGS}{_SCOPE}(?P<partial>partial(?:ly)?\s+)?revert\s+(?!
    (?:buttons?|commands?|actions?|dialogs?|menus?|icons?|links?|options?|flags?|messages?|reasons?|strings?|errors?
      |logic|handling|support|behaviou?rs?|flow|mode|endpoint|api|hooks?|tests?|functions?|methods?|opcodes?|codes?|data
      |on|if|when|with|unless|after|upon|in|for|and|or|is|was|should|does|can|cannot|fails?)\b)
    (?=\w)(?!.*\b(?:is|are|was|were|should|does|doesn['’]t|fails?)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# `Revert "x" → Reapply "x"` is what git writes since 2.43; "reland" is used by Chromium, PyTorch and Flutter.
_RELAND = re.compile(
    rf"""{_TAGS}{_SCOPE}(?:\[\s*re-?(?:land|apply)[^\]\n]{{0,20}}\]|re-?land(?:s|ed|ing)?(?:\s+of)?\b(?!\s*[-_.(])[:：]?
    |re-?apply(?:\s+of)?(?:[:：]|{_OBJECT})|(?:重新合入|重新合并|重新落地)\s*[:：]?)\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_RELAND_AT_END = re.compile(
    r"[\[(（]\s*re-?land(?:ed)?(?:\s+of\s+\#\d+)?\s*[\])）]\s*$|[（(](?:重新合入|重新合并)[）)]\s*$", re.IGNORECASE
)
_REAPPLY_VERB = re.compile(rf"{_TAGS}{_SCOPE}re-?apply\s+(?=\w)", re.IGNORECASE)
# `Restore the map`, with a body that begins a sentence with `Revert #5`.
_RESTORE = re.compile(
    rf"{_TAGS}{_SCOPE}(?:restore|undo|(?:bring|put|go|switch|move)\s+back|return\s+to|恢复|还原|换回|改回)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""^["“'‘「『《`](.*)["”'’」』》`]""", re.DOTALL)
# `Revert "x (#12)"`
_ENDING_NUMBER = re.compile(r"\(#(?P<number>\d{1,9})\)[\s\"”'」]*$")
_TITLE_COMMIT = re.compile(r"(?:commit\s+)?(?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE)
# A whole line, so that neither a quotation nor "this does not revert #5" counts.
_BODY_LINE = re.compile(
    r"^[ \t]*(?:this (?:pr )?)?reverts?:?[ \t]+(?:pr[ \t]+)?"
    r"(?:https://[\w.-]+/)?(?P<repository>[\w.-]+/[\w.-]+)?(?:#|/pull/)(?P<number>\d{1,9})[ \t]*[.。]?[ \t\r]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BODY_COMMIT = re.compile(
    r"^[ \t]*this reverts commit (?P<sha>[0-9a-f]{7,40})\b"
    r"|^[ \t]*original commit changeset: (?P<changeset>[0-9a-f]{7,40})\b",
    re.IGNORECASE | re.MULTILINE,
)
# A squashed list of the pull request's own commits, one of which took back another.
_OWN_COMMIT = re.compile(r"^[ \t]*[*-][ \t]+(?:\[[^\]\n]*\]\s*)?reverts?\b", re.IGNORECASE | re.MULTILINE)
# A sentence of a body whose title says revert: `This reverts #5 since …`, `Reverts the first part of #5`.
_SENTENCE = re.compile(
    r"(?:^|(?<=[.!;:]\s)|(?<=[。！；]))[ \t]*(?:this\s+(?:PR\s+|change\s+|patch\s+)?)?"
    r"(?:reverts?|backs?\s+out|rolls?\s+back|回滚|回退|撤销)(?P<what>[^.。\n]*(?:\n(?!\n)[^.。\n]*){0,3})",
    re.IGNORECASE | re.MULTILINE,
)
# A whole sentence that needs no title to be understood: `This partially reverts #5`, `Partial revert of #5.`
_IN_PART = re.compile(
    r"(?:^|(?<=[.!;:]\s)|(?<=[。！；]))[ \t]*(?:this\s+(?:PR\s+|change\s+|patch\s+)?)?(?:is\s+an?\s+|an?\s+)?"
    r"(?:(?:partially|partly)\s+(?:reverts?|backs?\s+out|rolls?\s+back)|partial\s+(?:revert|rollback)\s+of"
    r"|reverts?\s+(?:a\s+)?parts?\s+of|部分(?:回滚|回退|撤销))(?=[\s(\[]*(?:(?:PR|pull\s+request)\s*)?(?:\#\d|[\w.-]+/[\w.-]+\#|https?://))",
    re.IGNORECASE | re.MULTILINE,
)
# One of them stands in every body that says any of this.
_SAID_AT_ALL = re.compile(r"revert|back|roll|land|appl|changeset|回|撤|重新", re.IGNORECASE)
_KEPT = 512
_PARTLY = re.compile(r"\bpart(?:s|ly|ially)?\b|部分", re.IGNORECASE)
_DIRECT = re.compile(r"[\s:：]*(?:of\s+)?", re.IGNORECASE)
_ANYWHERE = re.compile(r"(?<!\w)(?=#\d|https?://)")
_RELANDS = re.compile(r"\bre-?(?:land(?:s|ing)?|appl(?:y|ies|ying))\b(?:\s+of)?|重新合入|重新合并", re.IGNORECASE)
_WHICH_REVERTED = re.compile(r"\bwhich reverted\b[^.\n]{0,60}?(?=\(?#\d)|被回[滚退]的", re.IGNORECASE)
_BRANCH = re.compile(r"^revert-(?P<number>\d{1,9})-")


@dataclass(frozen=True, slots=True)
class RevertWords:
    """`depth` counts nested takings-back: odd for a revert, even for a reland, 0 for neither.

    `inner` is the title of what is taken back or brought again. `numbers` and `commits` are named as taken back as a
    whole (by a reland: the revert, or the first change), `parts` in part. `hint` is the number that ends the inner
    title, of that pull request or of an issue. It is not `certain` when the title may mean
    something else (`Reapply the theme after a reload`).
    """

    depth: int
    inner: str | None = None
    numbers: tuple[int, ...] = ()
    commits: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()
    hint: int | None = None
    partial: bool = False
    certain: bool = True

    @property
    def takes_back(self) -> bool:
        return self.depth % 2 == 1

    @property
    def brings_back(self) -> bool:
        return self.depth > 0 and self.depth % 2 == 0


def revert_words(pull: PullRequest) -> RevertWords:
    """What the title says, with what body and branch add to it; a title that says nothing leaves it to whole lines."""
    depth, inner, partial = _title(pull.title)
    text = _telling(body_text(pull))
    commits = _commits(text) if depth or not _OWN_COMMIT.search(text) else ()
    lines = tuple(
        int(found["number"]) for found in _BODY_LINE.finditer(text) if same_repository(found["repository"], pull)
    )
    branch = _BRANCH.match(pull.head_branch or "")
    if not depth:
        restored = _sentences(text, pull)[0] if _RESTORE.match(pull.title) else ()
        if lines or commits or branch or restored:
            return RevertWords(1, None, _unique(*lines, *restored, *_branch_number(branch)), commits)
        taken = numbers_after(_IN_PART, text, pull)
        return RevertWords(int(bool(taken)), parts=taken, partial=bool(taken))
    named, parts = _sentences(text, pull)
    ending = _ENDING_NUMBER.search(inner or "")
    if inner and not ending:
        parts += numbers_after(_ANYWHERE, inner, pull)
    if depth % 2 == 0:
        named += (*numbers_after(_RELANDS, text, pull), *numbers_after(_WHICH_REVERTED, text, pull))
    titled = numbers_at(inner or "", 0, pull)
    hint = int(ending["number"]) if ending else None
    if inner and (sha := _TITLE_COMMIT.match(inner)):
        commits += (sha["sha"].casefold(),)
    numbers = _unique(*lines, *named, *titled, *_branch_number(branch))
    if partial:
        return RevertWords(depth, inner, (), (), _unique(*numbers, *parts), hint, partial=True)
    parts = tuple(number for number in _unique(*parts) if number not in numbers)
    certain = bool(numbers or commits) or not _REAPPLY_VERB.match(pull.title) or _RELAND.match(pull.title) is not None
    return RevertWords(depth, inner, numbers, commits, parts, hint, certain=certain)


# Each rule reads the body again.
@lru_cache(maxsize=_KEPT)
def _telling(text: str) -> str:
    """The text, or nothing when it has no word of taking back or bringing back."""
    return text if _SAID_AT_ALL.search(text) else ""


def innermost(title: str) -> str:
    """The first title of a chain of reverts and relands."""
    while (outer := _outer(title)) is not None:
        title = outer[1]
    return title


def _title(title: str) -> tuple[int, str | None, bool]:
    """How many takings-back are nested in it, what the outermost is about, and whether it is taken back in part."""
    first = outer = _outer(title)
    depth = 0
    while outer is not None:
        depth, outer = depth + outer[0], _outer(outer[1])
    return (depth, first[1], first[2]) if first else (0, None, False)


def _outer(title: str) -> tuple[int, str, bool] | None:
    """One step: 1 for a revert and 2 for a reland, which takes back a revert; then what is inside, without quotes."""
    if found := _REVERT.match(title) or _REVERT_VERB.match(title):
        return 1, _unquoted(title[found.end() :]), bool(found["partial"]) or "part of" in title.casefold()
    if found := _RELAND.match(title) or _REAPPLY_VERB.match(title):
        return 2, _unquoted(title[found.end() :]), False
    if found := _RELAND_AT_END.search(title):
        return 2, _unquoted(title[: found.start()]), False
    return None


def _unquoted(rest: str) -> str:
    quoted = _QUOTED.match(rest)
    return (quoted[1] if quoted else rest).strip()


def _sentences(text: str, pull: PullRequest) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers that sentences name as taken back: right after the verb as a whole, later in the sentence in part."""
    whole: list[int] = []
    parts: list[int] = []
    for found in _SENTENCE.finditer(text):
        direct = _DIRECT.match(found["what"])
        named = numbers_at(found["what"], direct.end() if direct else 0, pull)
        if named and not _PARTLY.search(found["what"]):
            whole += named
        else:
            parts += numbers_after(_ANYWHERE, found["what"], pull)
    return tuple(whole), tuple(parts)


def _commits(text: str) -> tuple[str, ...]:
    return tuple((found["sha"] or found["changeset"]).casefold() for found in _BODY_COMMIT.finditer(text))


def _branch_number(branch: re.Match[str] | None) -> tuple[int, ...]:
    return (int(branch["number"]),) if branch else ()


def _unique(*numbers: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))
