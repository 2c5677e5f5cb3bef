"""Every line of a pull request, cleaned, with the short id under which the model may cite it.

The first letter of an id tells the part: `T` title, `B` description, `F` file list, `D` diff, `R` review threads, `C`
reviews and comments. Numbers run over the whole pull request, in the record's order, whatever a budget later shows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat

from prhub_digest.diff import Hunk, parse_hunks
from prhub_digest.hygiene import clean_code, clean_title, prose_lines
from prhub_digest.models.chunk import Side, SourceLine
from prhub_digest.models.pull_request import (
    Comment,
    FileChange,
    FileMode,
    PatchState,
    Person,
    PullRequest,
    ReviewThread,
)

_NOT_SHOWN: dict[PatchState, str] = {
    "complete": "",
    "truncated": "diff cut short by the source",
    "not_given": "diff not given by the source",
    "binary": "binary",
    "no_text_change": "no change of text",
    "submodule": "submodule pointer",
}
# What git calls the modes, but for those of two files, which differ in one bit.
_FILE_TYPES: dict[FileMode, str] = {
    "100644": "file",
    "100755": "executable",
    "120000": "symlink",
    "160000": "submodule",
}
# A line of ours behind one that ends the file without a line break. Lines of the file have `+`, `-` or a blank first.
NO_NEWLINE = "\\ No newline at end of file"
_NO_NEWLINE_MARK = NO_NEWLINE[0]
_SIDES: dict[str, Side] = {"-": "old", "+": "new", " ": "new", "@": "new"}
# A week has millions of lines: this is five times as fast as the constructor.
_LINE: Callable[[Iterable[object]], SourceLine] = partial(tuple.__new__, SourceLine)
# What a line of a diff may hold without `clean_code` having anything to do.
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n"


@dataclass(frozen=True)
class HunkLines:
    """A hunk as it is shown: its header, whose id is `D<first>`, then its lines and what tells of a missing newline.

    `marks` are the first characters of all these.
    """

    path: str
    first: int
    hunk: Hunk

    def __len__(self) -> int:
        return 1 + len(self.hunk.body) + len(self.hunk.no_newline)

    @cached_property
    def marks(self) -> str:
        return "@" + "".join(self._told(self.hunk.marks, _NO_NEWLINE_MARK))

    @cached_property
    def texts(self) -> Sequence[str]:
        body: Sequence[str] = self.hunk.body
        text = "\n".join(body)
        if not _is_plain(text):
            body = _with_ends(clean_code(text).split("\n"), body)
        return [_hunk_header(self.hunk), *self._told(body, NO_NEWLINE)]

    def lines(self, start: int = 0, stop: int | None = None) -> tuple[SourceLine, ...]:
        """The lines from `start` up to `stop`, counted from the header."""
        end = len(self) if stop is None else stop
        ids = map("D{}".format, range(self.first + start, self.first + end))
        numbers, sides = self._places(start, end)
        others = repeat("diff"), repeat(self.path)
        return tuple(map(_LINE, zip(ids, self.texts[start:end], *others, numbers, sides, repeat(None), repeat(None))))

    def _told(self, lines: Sequence[str], mark: str) -> Sequence[str]:
        """What belongs to the lines of the body, with the mark behind each that has no line break."""
        told: list[str] = []
        begin = 0
        for place in self.hunk.no_newline:
            told += [*lines[begin : place + 1], mark]
            begin = place + 1
        return [*told, *lines[begin:]] if told else lines

    def _places(self, start: int, end: int) -> tuple[list[int], list[Side]]:
        """Line number and side of each; a removed line has only an old one. A missing newline stands at its line."""
        marks = self.marks[start:end]
        before = self.marks[1:start]
        both = before.count(" ")
        old = self.hunk.old_start + both + before.count("-")
        new = self.hunk.new_start + both + before.count("+")
        numbers = []
        sides: list[Side] = []
        last = before[-1:]
        for mark in marks:
            if mark == _NO_NEWLINE_MARK:
                numbers.append(old - 1 if last == "-" else new - 1)
                sides.append(_SIDES[last])
                continue
            if mark == "-":
                numbers.append(old)
                old += 1
            else:
                numbers.append(new)
                if mark != "@":
                    new += 1
                    old += mark != "+"
            sides.append(_SIDES[mark])
            last = mark
        if start == 0 < end and not self.hunk.new_count:
            numbers[0], sides[0] = self.hunk.old_start, "old"
        return numbers, sides


def _with_ends(shown: Sequence[str], body: Sequence[str]) -> Sequence[str]:
    """The lines with the CR at their ends made visible where some have none: it may be all that differs."""
    ends = [line.endswith("\r") for line in body]
    if all(ends) or not any(ends):
        return shown
    return [f"{text}\\x0d" if end else text for text, end in zip(shown, ends, strict=True)]


def source_lines(pull: PullRequest) -> tuple[SourceLine, ...]:
    """All lines, part by part: title, description, files, diff, review threads, then reviews and comments."""
    parts = text_lines(pull)
    diff = (line for file in diff_hunks(pull) for hunk in file for line in hunk.lines())
    return (*parts["T"], *parts["B"], *parts["F"], *diff, *parts["R"], *parts["C"])


def text_lines(pull: PullRequest) -> dict[str, tuple[SourceLine, ...]]:
    """All lines but those of the diff, by the letter of their ids."""
    parts = {
        "T": _title(pull),
        "B": _prose(pull.body or "", SourceLine("", "", "description")),
        "F": map(_file, pull.files),
        "R": (line for thread in pull.threads or () for line in _thread(thread)),
        "C": _conversation(pull),
    }
    return {letter: tuple(_numbered(letter, lines)) for letter, lines in parts.items()}


def diff_hunks(pull: PullRequest) -> list[tuple[HunkLines, ...]]:
    """The hunks of each file, in the record's order, with the ids of their lines."""
    first = 1
    files = []
    for file in pull.files:
        hunks = []
        for hunk in parse_hunks(file.patch or ""):
            hunks.append(HunkLines(file.path, first, hunk))
            first += len(hunks[-1])
        files.append(tuple(hunks))
    return files


def file_state(file: FileChange) -> str:
    """Why a file's diff is not all there, in words for a reader; empty when it is."""
    return _NOT_SHOWN[file.patch_state]


def _numbered(letter: str, lines: Iterable[SourceLine]) -> Iterator[SourceLine]:
    """The lines with their ids."""
    for number, line in enumerate(lines, 1):
        yield _LINE((f"{letter}{number}", *line[1:]))


def _title(pull: PullRequest) -> Iterator[SourceLine]:
    if title := clean_title(pull.title):
        yield SourceLine("", title, "title", line=1)


def _prose(text: str, at: SourceLine) -> Iterator[SourceLine]:
    """The lines of a text that hold something. Lines of a thread stand where it does, those of a body are counted."""
    for number, line in prose_lines(text, description=at.kind == "description"):
        where = at.line if at.kind == "thread" else number
        yield _LINE((at.id, line, at.kind, at.path, where, at.side, at.thread, at.comment))


def _file(file: FileChange) -> SourceLine:
    parts: list[str] = [file.status]
    if file.previous_path is not None and file.previous_path != file.path:
        parts.append(f"from {shown_path(file.previous_path)}")
    parts.append(f"+{file.additions} -{file.deletions}")
    remarks = ", ".join(filter(None, (_modes(file), file_state(file))))
    told = f" ({remarks})" if remarks else ""
    return SourceLine("", f"{shown_path(file.path)} {' '.join(parts)}{told}", "file", file.path)


def _modes(file: FileChange) -> str:
    """What the modes tell that the counts and the state do not."""
    old, new = file.old_mode, file.new_mode
    if old and new and old != new:
        types = (_FILE_TYPES[old], _FILE_TYPES[new])
        return f"mode {old} → {new}" if {*types} == {"file", "executable"} else " → ".join(types)
    if "120000" in (old, new):
        return "symlink"
    return f"mode {new}" if old is None and new == "100755" else ""


def shown_path(path: str) -> str:
    """A path on one line, the unseen in it made visible."""
    return clean_code(path).replace("\n", "\\x0a").replace("\t", "\\x09")


def _is_plain(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _PLAIN)


def _hunk_header(hunk: Hunk) -> str:
    ranges = f"-{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}"
    return clean_code(f"@@ {ranges} @@ {hunk.section}".rstrip())


def _thread(thread: ReviewThread) -> Iterator[SourceLine]:
    side: Side | None = None if thread.line is None else "new"
    header = SourceLine("", _thread_header(thread), "thread", thread.path, thread.line, side, thread.id)
    yield header
    for comment in thread.comments:
        author = header._replace(text=f"{_author(comment.author)}:", comment=comment.id)
        yield author
        yield from _prose(_visible_body(comment), author)


def _thread_header(thread: ReviewThread) -> str:
    where = shown_path(thread.path) + (f":{thread.line}" if thread.line is not None else " (line is gone)")
    resolved = {True: "resolved", False: "unresolved", None: "resolution unknown"}[thread.resolved]
    outdated = {True: ", outdated", False: "", None: ", outdated unknown"}[thread.outdated]
    return f"review thread on {where}, {resolved}{outdated}"


def _conversation(pull: PullRequest) -> Iterator[SourceLine]:
    for review in pull.reviews or ():
        header = f"review by {_author(review.author)}: {review.state.replace('_', ' ')}"
        yield from _block(SourceLine("", header, "comment"), review.body)
    for comment in pull.comments or ():
        hidden = " (hidden by a maintainer)" if comment.minimized else ""
        header = f"comment by {_author(comment.author)}{hidden}:"
        yield from _block(SourceLine("", header, "comment", comment=comment.id), _visible_body(comment))


def _block(header: SourceLine, body: str) -> Iterator[SourceLine]:
    yield header
    yield from _prose(body, header)


def _visible_body(comment: Comment) -> str:
    return "" if comment.minimized else comment.body


def _author(person: Person) -> str:
    return f"{person.kind} {clean_title(person.label)}"
