"""What a reply in a review thread says: done, left for later, or neither. English and Chinese."""

import re
from functools import lru_cache
from typing import Literal

Meaning = Literal["done", "later"]

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?;。！？；\n])\s*|,\s+(?=but\b)|，(?=但)")

_DONE = re.compile(
    r"\b(?<!-)(?:done|fixed|addressed|resolved|updated|changed|removed|renamed|replaced|applied|added|moved|corrected"
    r"|dropped|deleted|rewritten|simplified|switched)\b(?!-)",
    re.IGNORECASE,
)
# Words before "fixed" that make it a wish, a condition, a denial or an adjective.
_NOT_DONE = re.compile(
    r"\b(?:not|never|no|cannot|can|could|should|would|must|needs?|to|be|being|will|once|when|if|until|unless|after"
    r"|before|how|why|what|whether|yet|already|get|gets|was|were|which|that)\b|n['’]t\b|['’]ll\b|\b(?:a|an|the)\s+\Z",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\s+(?:in|by|with|via|as of)\s+(?:commit\s+|the\s+latest|latest|#\d|[0-9a-f]{7,40}\b)", re.IGNORECASE
)
_OPENING_WORDS = 6
# "Done" stands early in its sentence; more is not read, so that no comment costs much time.
_SENTENCE_LENGTH = 300
_DONE_ZH = re.compile(
    r"已经?(?:修复|修正|修改|改|更新|处理|解决|删除|添加|调整|完成)|(?:修复|修正|修|改|更新|处理|解决|搞定)好?了|^\s*(?:完成|搞定|done)"
)
_NOT_DONE_ZH = re.compile(r"[不没未别]|是否|如果|等|吗")

_LATER = re.compile(
    r"\bfollow[- ]?ups?\b(?!\s+(?:comments?|questions?|reviews?)\b)"
    r"|\b(?:in|as|to|for|via|open|file|create|make)\s+(?:a|an|the|my|its|your)?\s*"
    r"(?:separate|another|different|next|future|subsequent|later|own)\s+(?:PRs?|pull requests?|patch|issue|MR)\b"
    r"|\blater\b(?!\s+(?:commits?|versions?|releases?|lines?|than|stages?|steps?|calls?|use|used|in (?:the|this)))"
    r"|\bout of scope\b|\bdeferr(?:ed|ing) (?:this|it|that|to)\b|(?:\b(?:will|let['’]s)|['’]ll) defer\b",
    re.IGNORECASE,
)
# Only the marker in capitals; the word "todo" is too common.
_TODO = re.compile(r"\bTODO\b")
_NOT_LATER = re.compile(
    r"\b(?:not|no|never|without|instead of|rather than|thanks for|remove[ds]?|drop(?:ped)?|delete[ds]?|resolved?)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_LATER_ZH = re.compile(
    r"后续(?=\s*(?:再|会|可|单独|统一|来|补|修|优化|改|处理|跟进|提|考虑|的?\s*(?:PR|MR)))"
    r"|另(?:外)?(?:开|起|提)|单独(?:的|再)?\s*(?:开|提|起|发)?\s*(?:一?个)?\s*PR|下一?个\s*(?:PR|版本)|(?:以后|之后|回头|稍后|晚点)再",
    re.IGNORECASE,
)
_NOT_LATER_ZH = re.compile(r"[不没别]|无需|不必")
# A denial counts inside its own clause, this many characters before the word.
_REACH_ZH = 4
_REACH = 30
_KEPT = 512
_CLAUSE_END = re.compile(r"[,;:，；：、]")


# Each rule of a thread reads its replies again.
@lru_cache(maxsize=_KEPT)
def meaning_of(body: str) -> Meaning | None:
    """What a reply says was done about the remark.

    Code and quoted lines are not read. Who says both ("fixed here, the rest in a follow-up") leaves something.
    """
    text = plain_text(body)
    # Most replies hold none of the words, and need not be taken apart.
    if not any(words.search(text) for words in (_DONE, _DONE_ZH, _LATER, _LATER_ZH, _TODO)):
        return None
    sentences = [
        sentence.strip()[:_SENTENCE_LENGTH] for sentence in _SENTENCE_END.split(text) if sentence and sentence.strip()
    ]
    if any(_says_later(sentence) for sentence in sentences):
        return "later"
    return "done" if any(_says_done(sentence) for sentence in sentences) else None


def plain_text(body: str) -> str:
    """Without code blocks, code spans and quoted lines."""
    return _QUOTE.sub("", _CODE.sub(" ", body))


def _says_done(sentence: str) -> bool:
    if sentence.endswith(("?", "？")):
        return False
    if any(not _NOT_DONE_ZH.search(_before(found, _REACH_ZH)) for found in _DONE_ZH.finditer(sentence)):
        return True
    for found in _DONE.finditer(sentence):
        opening = len(sentence[: found.start()].split()) < _OPENING_WORDS
        if (opening or _REFERENCE.match(sentence, found.end())) and not _NOT_DONE.search(_before(found)):
            return True
    return False


def _says_later(sentence: str) -> bool:
    if any(not _NOT_LATER_ZH.search(_before(found, _REACH_ZH)) for found in _LATER_ZH.finditer(sentence)):
        return True
    matches = [*_LATER.finditer(sentence), *_TODO.finditer(sentence)]
    return any(not _NOT_LATER.search(_before(found, _REACH)) for found in matches)


def _before(found: re.Match[str], reach: int = _SENTENCE_LENGTH) -> str:
    """The part of the clause before a match, at most `reach` characters."""
    return _CLAUSE_END.split(found.string[max(0, found.start() - reach) : found.start()])[-1]
