"""Where a statement of the model stands in its pull request: found by code, quoted from the source.

Words are compared folded: case, width and punctuation do not matter, broken control tokens are put back, and each
Chinese or Japanese character is a word of its own.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase

from prhub_digest.hygiene import limit_marks, mend_control_tokens
from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.summary import Evidence

MOST_WORDS = 8
MOST_QUOTED = 300
_LEAST_CONTENT = 2
_PASSAGE_LINES = 3
_PASSAGE_SHARE = 0.7

_CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_CJK}]|[^\\W_{_CJK}]+")
_SHOWN_ID = re.compile(r"\s*[TBFDRC][0-9]+\|")
_ID = re.compile(r"([A-Z]+)([0-9]+)")
_ENGLISH_STOP_WORDS = re.findall(
    "[a-z]+",
    "an and are as at be been but by can could did do does for from had has have how if in into is it its may might "
    "more no nor not of on only or our over should so such than that the their them then there these they this those "
    "to too under up via was we were what when where which while who will with would you your",
)
# A single Latin letter says nothing alone; of Chinese, each character is a word.
_STOP_WORDS = frozenset(
    [*_ENGLISH_STOP_WORDS, *ascii_lowercase, *"的了在是和与及或将被把对从为以于并而也都就个这那其之等由到"]
)


def normalized_words(text: str) -> list[str]:
    """All words of a text, folded for comparison, in order."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFKC", limit_marks(text)).casefold())


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, folded, in order, each once: no stop words, no single Latin letters."""
    words = normalized_words(mend_control_tokens(text))
    return tuple(dict.fromkeys(word for word in words if word not in _STOP_WORDS))


def locate(words: str, line_id: str, statement: str, lines: Sequence[SourceLine]) -> Evidence | None:
    """The evidence of one statement, or None; for many statements about the same lines, keep an `EvidenceIndex`."""
    return EvidenceIndex(lines).locate(words, line_id, statement)


@dataclass(frozen=True, slots=True)
class _Passage:
    """`last` is included; `found` counts the statement's content words in it."""

    first: int
    last: int
    found: int


class EvidenceIndex:
    """The words of a pull request's lines, looked up once and searched for every statement."""

    def __init__(self, lines: Sequence[SourceLine]) -> None:
        self._lines = lines
        self._ids = {line.id: position for position, line in enumerate(lines)}
        self._offsets: list[int] = []
        self._by_word: dict[str, list[int]] = {}
        folded = []
        offset = 0
        for position, line in enumerate(lines):
            words = normalized_words(line.text)
            for word in set(words):
                self._by_word.setdefault(word, []).append(position)
            folded.append(f" {' '.join(words)} \n")
            self._offsets.append(offset)
            offset += len(folded[-1])
        self._folded = "".join(folded)
        self._joined = [_is_one_passage(before, after) for before, after in pairwise(lines)]

    def locate(self, words: str, line_id: str, statement: str) -> Evidence | None:
        """Evidence by the words on the named line, else anywhere, else by a passage that holds the statement.

        Words with fewer than two different content words prove nothing; of longer ones the first eight count.
        """
        line_id = line_id.strip()
        sought = self._sought(words)
        if sought is not None:
            matches = list(self._matches(sought))
            named = self._ids.get(line_id)
            if named is not None and named in matches:
                return self._at_line(named, sought, line_id_held=True)
            if matches:
                return self._at_line(min(matches, key=lambda line: self._distance(line, line_id)), sought)
        passage = self._passage(content_words(statement), line_id)
        return None if passage is None else self._at_passage(passage)

    @staticmethod
    def _sought(words: str) -> str | None:
        text = _SHOWN_ID.sub("", words, count=1) if _SHOWN_ID.match(words) else words
        used = normalized_words(mend_control_tokens(text))[:MOST_WORDS]
        content = {word for word in used if word not in _STOP_WORDS}
        return f" {' '.join(used)} " if len(content) >= _LEAST_CONTENT else None

    def _matches(self, sought: str) -> Iterator[int]:
        """The lines that hold the words in their order, first to last."""
        found = self._folded.find(sought)
        while found >= 0:
            line = bisect_right(self._offsets, found) - 1
            yield line
            start = self._offsets[line + 1] if line + 1 < len(self._offsets) else len(self._folded)
            found = self._folded.find(sought, start)

    def _distance(self, line: int, line_id: str) -> tuple[int, int]:
        """How far a line is from the named one: by number in the same part, else by its place from the top."""
        here, named = _ID.fullmatch(self._lines[line].id), _ID.fullmatch(line_id)
        if here is not None and named is not None and here[1] == named[1] and len(named[2]) < MOST_WORDS:
            return 0, abs(int(here[2]) - int(named[2]))
        return 1, line

    def _passage(self, wanted: Sequence[str], line_id: str) -> _Passage | None:
        """The passage with most of the wanted words; among equals the shortest, then the nearest."""
        if len(wanted) < _LEAST_CONTENT:
            return None
        masks: dict[int, int] = {}
        for bit, word in enumerate(wanted):
            for line in self._by_word.get(word, ()):
                masks[line] = masks.get(line, 0) | 1 << bit
        enough = _PASSAGE_SHARE * len(wanted)
        passages = (passage for first in sorted(masks) for passage in self._from(first, masks))
        good = [passage for passage in passages if passage.found >= enough]
        return min(good, default=None, key=lambda passage: self._rank(passage, line_id))

    def _from(self, first: int, masks: dict[int, int]) -> Iterator[_Passage]:
        """The passages that begin at a line; each ends in a line that adds words."""
        held = 0
        for last in range(first, min(first + _PASSAGE_LINES, len(self._lines))):
            if last > first and not self._joined[last - 1]:
                return
            grown = held | masks.get(last, 0)
            if grown != held:
                held = grown
                yield _Passage(first, last, held.bit_count())

    def _rank(self, passage: _Passage, line_id: str) -> tuple[int, int, tuple[int, int], int]:
        length = passage.last - passage.first
        return -passage.found, length, self._distance(passage.first, line_id), passage.first

    def _at_line(self, position: int, sought: str, *, line_id_held: bool = False) -> Evidence:
        line = self._lines[position]
        quote = _quoted(line.text, sought.split())
        return Evidence(line=line.id, quote=quote, place=line.place, found_by="line" if line_id_held else "elsewhere")

    def _at_passage(self, passage: _Passage) -> Evidence:
        lines = self._lines[passage.first : passage.last + 1]
        quote = "\n".join(line.text for line in lines)[:MOST_QUOTED]
        return Evidence(line=lines[0].id, quote=quote, place=lines[0].place, found_by="passage")


def _is_one_passage(before: SourceLine, after: SourceLine) -> bool:
    """Whether two lines follow each other in the same text."""
    first, second = _ID.fullmatch(before.id), _ID.fullmatch(after.id)
    if first is None or second is None or _text_of(before) != _text_of(after):
        return False
    return first[1] == second[1] and int(second[2]) == int(first[2]) + 1


def _text_of(line: SourceLine) -> tuple[str | None, ...]:
    comment = None if line.kind == "thread" else line.comment
    return line.kind, line.path, line.thread, comment


def _quoted(text: str, sought: list[str]) -> str:
    """The line, or of a long one a stretch around the words, as it is written."""
    if len(text) <= MOST_QUOTED:
        return text
    words = normalized_words(text)
    index = next(at for at in range(len(words)) if words[at : at + len(sought)] == sought)
    # The number of words in a beginning of the text grows with its length, so the match is found by halving.
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if len(normalized_words(text[:middle])) > index:
            high = middle
        else:
            low = middle + 1
    start = max(0, min(low - MOST_QUOTED // 3, len(text) - MOST_QUOTED))
    return text[start : start + MOST_QUOTED]
