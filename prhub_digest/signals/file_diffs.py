"""The changed files of a pull request as the rules read them: both sides of each hunk, and what only moved."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from prhub_digest.file_kinds import FileKind
from prhub_digest.models.pull_request import FileChange

_HUNK = re.compile(r"@@ -(\d{1,18})(?:,\d{1,18})? \+(\d{1,18})(?:,\d{1,18})? @@ ?")
# Blank lines, and lines that are only a comment; `#include` is none.
_NO_CODE = re.compile(r"\s*(?:#(?:[\s!]|$)|//|/\*|\*(?:[\s/]|$)|--\s|<!--|;|%|$)")
# Longer lines are data or minified code: no rule reads them.
_LONGEST_LINE = 500
# What opened a block further up is not looked for, so that time stays linear.
_LOOKBACK = 120


class Row(NamedTuple):
    """One line of one side; `number` is its line number there."""

    number: int
    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Sides:
    """A hunk as it was and as it is; `section` is what git prints after the second `@@`."""

    section: str
    old: tuple[Row, ...]
    new: tuple[Row, ...]

    @property
    def sides(self) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
        return self.old, self.new


@dataclass(frozen=True)
class FileDiff:
    """One file with its kind.

    `support`: an example, a benchmark or the like, which nobody's program runs. `tests`: a test, or data of one.
    """

    change: FileChange
    kind: FileKind
    support: bool
    tests: bool

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def edited(self) -> bool:
        """Whether anything but the name or the mode changed."""
        return self.change.additions + self.change.deletions > 0 or self.change.status in {"added", "deleted"}

    @property
    def whole(self) -> bool:
        """Whether all changed lines are known."""
        return self.change.patch_state != "truncated" and (self.change.patch is not None or not self.edited)

    @property
    def edits_code(self) -> bool:
        """Whether a changed line is neither blank nor only a comment, as far as is known."""
        return self.edited and (
            not self.whole or any(is_code(row.text) for side in (self.added, self.removed) for row in side)
        )

    @cached_property
    def hunks(self) -> tuple[Sides, ...]:
        return tuple(_sides(self.change.patch.split("\n"))) if self.change.patch else ()

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the diff holds one of the words: a cheap look before the rules read it line by line."""
        patch = self.change.patch
        if patch is None:
            return False
        if words not in self._mentioned:
            self._mentioned[words] = any(map(patch.__contains__, words))
        return self._mentioned[words]

    @cached_property
    def _mentioned(self) -> dict[tuple[str, ...], bool]:
        """What was looked for before; several rules look for the same."""
        return {}

    @cached_property
    def removed(self) -> tuple[Row, ...]:
        return tuple([row for hunk in self.hunks for row in hunk.old if row.changed])

    @cached_property
    def added(self) -> tuple[Row, ...]:
        return tuple([row for hunk in self.hunks for row in hunk.new if row.changed])


def is_code(text: str) -> bool:
    """Whether a line is neither blank nor only a comment."""
    return _NO_CODE.match(text) is None


def opener(rows: Sequence[Row], place: int, section: str) -> str:
    """The nearest line before with less indentation, or the one that git names."""
    indent = len(rows[place].text) - len(rows[place].text.lstrip())
    for row in reversed(rows[max(0, place - _LOOKBACK) : place]):
        text = row.text.lstrip()
        if text and len(row.text) - len(text) < indent:
            return row.text
    return section


def moved_lines(files: Iterable[FileDiff]) -> Counter[str]:
    """Lines, without the blanks around them, that were removed in one place and added in another, and how often."""
    removed: Counter[str] = Counter()
    added: Counter[str] = Counter()
    for file in files:
        removed.update(row.text.strip() for row in file.removed)
        added.update(row.text.strip() for row in file.added)
    return removed & added


def _sides(lines: Sequence[str]) -> Iterator[Sides]:
    section: str | None = None
    old: list[Row] = []
    new: list[Row] = []
    old_line = new_line = 0
    for line in lines:
        mark = line[:1]
        if mark == "@":
            header = _HUNK.match(line)
            if header is None:
                continue
            if section is not None:
                yield Sides(section, tuple(old), tuple(new))
            section, old, new = line[header.end() :], [], []
            old_line, new_line = int(header[1]), int(header[2])
            continue
        if mark == "\\":
            continue
        text = line[1:] if len(line) <= _LONGEST_LINE else line[1:_LONGEST_LINE]
        if mark != "+":
            old.append(Row(old_line, text, mark == "-"))
            old_line += 1
        if mark != "-":
            new.append(Row(new_line, text, mark == "+"))
            new_line += 1
    if section is not None:
        yield Sides(section, tuple(old), tuple(new))
