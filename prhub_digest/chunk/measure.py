"""Lines in the form in which they are shown, each counted once.

All tokens here are the vocabulary's own (`Tokenizer.raw`), which add up from line to line, since each line of a chunk's
text begins with a letter or with "…". What they make for the model is worked out at the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from prhub_digest.hygiene import break_control_tokens
from prhub_digest.models.chunk import SourceLine
from prhub_digest.tokens import Tokenizer

# A longer line is cut: it is generated or minified, and nothing in it is read to its end. In characters.
LONGEST_LINE = 8_000
# No tokenizer in use makes so few tokens of so many characters; it bounds the search for where to clip.
_MOST_CHARACTERS_PER_TOKEN = 16
# A line of one character, with the bar before it and the line break. A megabyte may hold half a million of them, but
# few different ones: each is counted once.
_SHORT = 3


class Span(NamedTuple):
    """Lines of the diff: those of one hunk from `start` up to `stop`; `hunk` numbers the pull request's hunks."""

    hunk: int
    start: int
    stop: int


class Item(NamedTuple):
    """A line of a chunk's text, or lines of one hunk; `tokens` include the line breaks. A mark of ours has no lines.

    `left_out` characters are missing of a line that was cut. No dataclass, since that takes three times as long to make
    and a megabyte of talk may be half a million lines.
    """

    text: str
    tokens: int
    lines: tuple[SourceLine, ...] = ()
    left_out: int = 0
    span: Span | None = None

    @property
    def id(self) -> str:
        """Of its first line; empty for a mark."""
        return self.lines[0].id if self.lines else ""

    @property
    def whole_tokens(self) -> int:
        """Tokens of the line when nothing is cut off, in proportion to its characters."""
        return self.tokens + (ceil(self.tokens * self.left_out / len(self.text)) if self.left_out else 0)


@dataclass(frozen=True, slots=True)
class Measure:
    tokenizer: Tokenizer
    _of_digits: dict[tuple[str, int], int] = field(default_factory=dict)
    _of_short: dict[str, int] = field(default_factory=dict)

    def count(self, text: str) -> int:
        if len(text) > _SHORT:
            return self.tokenizer.raw(text)
        if text not in self._of_short:
            self._of_short[text] = self.tokenizer.raw(text)
        return self._of_short[text]

    def mark(self, text: str) -> Item:
        shown = break_control_tokens(text)
        return Item(shown, self.count(shown + "\n"))

    def shown(self, line: SourceLine, length: int = LONGEST_LINE) -> Item:
        """The line under its id, cut after `length` characters."""
        left_out = max(0, len(line.text) - length)
        if left_out:
            line = line._replace(text=cut(line.text, length))
        behind = f"|{break_control_tokens(line.text)}"
        tokens = self.ids(line.id[0], int(line.id[1:]), 1) + self.count(behind + "\n")
        return Item(line.id + behind, tokens, (line,), left_out)

    def ids(self, letter: str, first: int, count: int) -> int:
        """Tokens of the ids of so many lines from number `first` on; what follows an id never joins it."""
        tokens, number, end = 0, first, first + count
        while number < end:
            digits = len(str(number))
            until = min(end, 10**digits)
            if (letter, digits) not in self._of_digits:
                self._of_digits[letter, digits] = self.count(f"{letter}{number}")
            tokens += (until - number) * self._of_digits[letter, digits]
            number = until
        return tokens

    def clipped(self, line: SourceLine, limit: int) -> Item | None:
        """The longest beginning of a line that fits with a mark of what is missing; None when nothing does."""
        low, high = 0, min(len(line.text) - 1, limit * _MOST_CHARACTERS_PER_TOKEN, LONGEST_LINE)
        best = None
        while low < high:
            middle = (low + high + 1) // 2
            item = self.shown(line, middle)
            if item.tokens <= limit:
                low, best = middle, item
            else:
                high = middle - 1
        return best

    def fitted(self, item: Item, limit: int) -> Item | None:
        """The item whole, else its line clipped to the limit, else None."""
        if item.tokens <= limit or not item.lines:
            return item if item.tokens <= limit else None
        return self.clipped(item.lines[0], limit)


def tokens_of(items: Iterable[Item]) -> int:
    return sum(item.tokens for item in items)


def cut(text: str, length: int) -> str:
    """The first `length` characters, and how many are missing."""
    return f"{text[:length]} … {len(text) - length} characters left out"
