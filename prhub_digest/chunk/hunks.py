"""The hunks of a pull request's diff, in shown form; each is cleaned and counted only when somebody asks."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from prhub_digest.chunk.measure import LONGEST_LINE, Item, Measure, Span, cut
from prhub_digest.file_kinds import FileKind
from prhub_digest.hygiene import break_control_tokens
from prhub_digest.models.pull_request import FileChange
from prhub_digest.source_lines import NO_NEWLINE, HunkLines

# A text with more characters than this for each token of room is not counted as a whole to learn whether it fits: only
# text with long runs of blanks would.
SURELY_TOO_LARGE = 5

# What stands in a line of the diff beside its text.
_BESIDE_TEXT = len("D1234|\n")
# A token is a byte or more; in UTF-8 a character is at most four.
_MOST_TOKENS_OF_CHARACTER = 4


class Counted(NamedTuple):
    """What of a hunk was counted; `left` are the characters of lines that nobody asked for and of the ends cut off."""

    tokens: int
    characters: int
    left: int


class ShownHunk:
    """A hunk of the diff; `number` is its place among all hunks of the pull request, `lines` count its header."""

    def __init__(self, number: int, source: HunkLines, measure: Measure) -> None:
        self.number, self.source = number, source
        self._size = len(source)
        self._measure = measure
        self._by_line: list[int] = []
        self._counted = 0

    def __len__(self) -> int:
        return self._size

    @cached_property
    def characters(self) -> int:
        hunk = self.source.hunk
        return sum(map(len, hunk.body)) + len(hunk.no_newline) * len(NO_NEWLINE) + len(self) * _BESIDE_TEXT

    @cached_property
    def long_lines(self) -> frozenset[int]:
        """The lines that are cut wherever they are shown."""
        if self.characters <= LONGEST_LINE or max(map(len, self.source.texts)) <= LONGEST_LINE:
            return frozenset()
        return frozenset(at for at, text in enumerate(self.source.texts) if len(text) > LONGEST_LINE)

    @cached_property
    def _whole(self) -> str:
        return self._shown(0, len(self))

    def _shown(self, start: int, stop: int) -> str:
        """The lines without their ids, but with the bar that stands behind it."""
        texts = self.source.texts[start:stop]
        if self.long_lines:
            texts = [cut(text, LONGEST_LINE) if len(text) > LONGEST_LINE else text for text in texts]
        return break_control_tokens("|" + "\n|".join(texts))

    @cached_property
    def tokens(self) -> int:
        """Of all lines."""
        return self._measure.ids("D", self.source.first, len(self)) + self._measure.count(self._whole + "\n")

    @property
    def counted(self) -> Counted:
        stop = len(self) if self._is_counted else len(self._by_line)
        if not stop:
            return Counted(0, 0, self.characters)
        texts = self.source.texts
        cut_off = sum(len(texts[at]) - LONGEST_LINE for at in self.long_lines if at < stop)
        characters = sum(map(len, texts[:stop])) + stop * _BESIDE_TEXT - cut_off
        left = sum(map(len, texts[stop:])) + (len(self) - stop) * _BESIDE_TEXT + cut_off
        return Counted(self.tokens if self._is_counted else self._counted, characters, left)

    @property
    def _is_counted(self) -> bool:
        return "tokens" in self.__dict__

    def tokens_in(self, start: int, stop: int) -> int:
        if start == 0 and stop == len(self):
            return self.tokens
        return self._up_to(stop) - self._up_to(start)

    def fits(self, limit: int) -> bool:
        """Whether all lines take no more tokens than that; counted only where their length does not say so."""
        if self.characters * _MOST_TOKENS_OF_CHARACTER <= limit:
            return True
        return self.characters <= limit * SURELY_TOO_LARGE and self.tokens <= limit

    def fitting(self, start: int, stop: int, limit: int) -> int:
        """The end of the longest run of lines from `start` on, at most up to `stop`, that fits into the limit."""
        if limit <= 0:
            return start
        if start == 0 and stop == len(self) and self.fits(limit):
            return stop
        most = self._up_to(start) + limit
        return next((at for at in range(start, stop) if self._up_to(at + 1) > most), stop)

    def item(self, start: int, stop: int) -> Item:
        shown = self._whole if start == 0 and stop == len(self) else self._shown(start, stop)
        text = "\n".join(
            [f"D{number}{line}" for number, line in enumerate(shown.split("\n"), self.source.first + start)]
        )
        lines = self.source.lines(start, stop)
        if self.long_lines:
            lines = tuple(
                line._replace(text=cut(line.text, LONGEST_LINE)) if at in self.long_lines else line
                for at, line in enumerate(lines, start)
            )
        return Item(text, self.tokens_in(start, stop), lines, span=Span(self.number, start, stop))

    def _up_to(self, stop: int) -> int:
        """Tokens of the lines before `stop`; no line is counted twice."""
        while len(self._by_line) < stop:
            at = len(self._by_line)
            self._counted += self._measure.ids("D", self.source.first + at, 1)
            self._counted += self._measure.count(self._shown(at, at + 1) + "\n")
            self._by_line.append(self._counted)
        return self._by_line[stop - 1] if stop else 0

    def changed_in(self, start: int, stop: int) -> int:
        """Added and removed lines that are shown whole when these lines are shown."""
        marks = self.source.marks
        cut_short = sum(1 for at in self.long_lines if start <= at < stop and marks[at] in "+-")
        return marks.count("+", start, stop) + marks.count("-", start, stop) - cut_short

    @cached_property
    def changed(self) -> int:
        marks = self.source.marks
        return marks.count("+") + marks.count("-")


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A file: its line of the file list, the mark above its hunks, and the hunks.

    `noise` says why its diff is not to be shown.
    """

    change: FileChange
    kind: FileKind
    noise: str | None
    name: Item
    mark: Item
    hunks: tuple[ShownHunk, ...]

    @property
    def is_to_be_shown(self) -> bool:
        return bool(self.hunks) and self.noise is None

    @property
    def changed(self) -> int:
        """Added and removed lines of the patch as it was given."""
        return sum(hunk.changed for hunk in self.hunks)
