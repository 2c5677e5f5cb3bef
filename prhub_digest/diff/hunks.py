"""The hunks of a patch.

Inside a hunk, lines are counted by the hunk's header and nothing else decides where it ends: a removed line may look
like a file header. Only LF separates lines. Format: https://git-scm.com/docs/diff-generate-patch
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

LineKind = Literal["+", "-", " "]

_NUMBERS = r"(\d{1,18})(?:,(\d{1,18}))?"
_HEADER = re.compile(rf"@@ -{_NUMBERS} \+{_NUMBERS} @@(?:[ \r](.*))?", re.DOTALL)
# Of a merge: one `-` range a parent, and one `@` more than there are parents.
_COMBINED = re.compile(rf"(@{{3,33}})((?: -{_NUMBERS}){{2,32}}) \+{_NUMBERS} \1(?:[ \r](.*))?", re.DOTALL)
_CONTENT = re.compile(r"[-+ \\\r\n]*")
_MARKER = "\\"
# Of context lines that lost their blank on the way, when trailing blanks were stripped.
_STRIPPED = "\r\n"


class DiffLine(NamedTuple):
    """One source line; the number is None on the side where the line does not exist."""

    kind: LineKind
    text: str
    old_line: int | None
    new_line: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines; `section` is what git prints after the second `@@`, mostly the enclosing function.

    `body` holds each line with `+`, `-` or a blank before it; `marks` are these first characters. `no_newline` are the
    places in it, ascending, of the lines that a marker says have no line break: they end their side of the file. A
    combined hunk, of a merge, is read as the change against the first parent.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    body: tuple[str, ...]
    marks: str
    no_newline: tuple[int, ...] = ()

    @property
    def lines(self) -> tuple[DiffLine, ...]:
        return tuple(self._numbered())

    def _numbered(self) -> Iterator[DiffLine]:
        old, new = self.old_start, self.new_start
        for line in self.body:
            kind: LineKind
            match line[0]:
                case "+":
                    kind = "+"
                case "-":
                    kind = "-"
                case _:
                    kind = " "
            yield DiffLine(kind, line[1:], None if kind == "+" else old, None if kind == "-" else new)
            old += kind != "+"
            new += kind != "-"


class _Header(NamedTuple):
    """`parents` is 1 but for a combined hunk; its old counts are those of every parent, one after the other."""

    parents: int
    old: tuple[tuple[int, int], ...]
    new: tuple[int, int]
    section: str


class Span(NamedTuple):
    """Where a hunk stands among the lines of a text: its header and the end of its lines, with their marks."""

    start: int
    end: int
    header: _Header
    marks: str


def parse_hunks(patch: str) -> tuple[Hunk, ...]:
    """The hunks of one file's patch (from its first `@@` on). A last hunk that was cut is kept as far as it goes."""
    lines = lines_of(patch)
    return tuple(_hunk(lines, span) for span in hunk_spans(lines))


def count_changes(patch: str | None) -> tuple[int, int]:
    """Added and deleted lines of a patch."""
    marks = "".join([hunk.marks for hunk in parse_hunks(patch or "")])
    return marks.count("+"), marks.count("-")


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def hunk_spans(lines: Sequence[str]) -> Iterator[Span]:
    """Where the hunks are; what stands between them is no hunk's content."""
    marks = "".join([line[:1] or "\n" for line in lines])
    position = marks.find("@")
    while position >= 0:
        header = _header(lines[position])
        end = position + 1
        if header is not None:
            first = end
            end = _end(marks, first, header) if header.parents == 1 else _combined_end(lines, first, header)
            yield Span(position, end, header, marks[first:end])
        position = marks.find("@", end)


def is_header(line: str) -> bool:
    return line.startswith("@@") and _header(line) is not None


def _header(line: str) -> _Header | None:
    if found := _HEADER.fullmatch(line):
        return _Header(1, (_range(found[1], found[2]),), _range(found[3], found[4]), found[5] or "")
    if line.startswith("@@@") and (found := _COMBINED.fullmatch(line)):
        ranges = tuple(_range(*old.removeprefix("-").partition(",")[::2]) for old in found[2].split())
        if len(ranges) == len(found[1]) - 1:
            return _Header(len(ranges), ranges, _range(found[5], found[6]), found[7] or "")
    return None


def _range(start: str, count: str | None) -> tuple[int, int]:
    """A missing count means one line."""
    return int(start), int(count) if count else 1


def _end(marks: str, first: int, header: _Header) -> int:
    old, new = header.old[0][1], header.new[1]
    found = _CONTENT.match(marks, first)
    limit = found.end() if found else first
    content = marks[first:limit]
    both = content.count(" ") + sum(map(content.count, _STRIPPED))
    if both + content.count("-") <= old and both + content.count("+") <= new:
        return limit  # the usual case: what follows is no content, or nothing follows
    position = first
    while position < limit:
        mark = marks[position]
        if mark != _MARKER:
            old -= mark != "+"
            new -= mark != "-"
            if old < 0 or new < 0:
                break
        position += 1
    return position


def _combined_end(lines: Sequence[str], first: int, header: _Header) -> int:
    """A line has a column a parent; a removed one is no line of the result, nor of a parent that has a blank."""
    old, new = [count for _, count in header.old], header.new[1]
    position = first
    while position < len(lines):
        columns = lines[position][: header.parents]
        if not columns.startswith(_MARKER):
            removed = "-" in columns
            if columns.strip("+- ") or (not removed and new == 0) or (not any(old) and new == 0):
                break
            gone = "-" if removed else " "
            old = [left - (mark == gone) for left, mark in zip(old, columns, strict=False)]
            new -= not removed
        position += 1
    return position


def _hunk(lines: Sequence[str], span: Span) -> Hunk:
    header, marks = span.header, span.marks
    content = lines[span.start + 1 : span.end]
    no_newline: tuple[int, ...] = ()
    if _MARKER in marks or any(map(marks.count, _STRIPPED)) or header.parents > 1:
        content = [line if line[:1] in {"+", "-", " ", _MARKER} else " " + line for line in content]
        if header.parents > 1:
            content = list(_against_first_parent(content, header.parents))
        content, no_newline = _without_markers(content)
        marks = "".join([line[0] for line in content])
    (old_start, old_count), (new_start, new_count) = header.old[0], header.new
    section = header.section.rstrip("\r")
    return Hunk(old_start, old_count, new_start, new_count, section, tuple(content), marks, no_newline)


def _against_first_parent(content: Sequence[str], parents: int) -> Iterator[str]:
    """Markers are dropped: git writes none here."""
    for line in content:
        columns = line[:parents]
        if columns[0] != _MARKER and (columns[0] != " " or "-" not in columns):  # in the first parent or the result
            yield columns[0] + line[parents:]


def _without_markers(content: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """The lines, and the places of those that a marker follows."""
    body: list[str] = []
    marked: dict[int, None] = {}
    for line in content:
        if line[0] != _MARKER:
            body.append(line)
        elif body:
            marked[len(body) - 1] = None
    return body, tuple(marked)
