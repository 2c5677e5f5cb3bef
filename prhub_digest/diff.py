"""Unified diffs: hunks with line numbers, and the per-file sections of `git diff -p`.

Inside a hunk, lines are counted by the hunk's header and nothing else decides where it ends: a removed line may look
like a file header. Only LF separates lines. Format: https://git-scm.com/docs/diff-generate-patch
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from prhub_digest.models.pull_request import FileChange, FileStatus, PatchState

LineKind = Literal["+", "-", " "]

_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(?: (.*))?", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_KINDS: dict[str, LineKind] = {"+": "+", "-": "-", " ": " ", "": " "}  # an empty line is an empty context line
_STATUS: dict[str, FileStatus] = {"new file mode": "added", "deleted file mode": "deleted", "copy from": "copied"}
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One source line; the number is None on the side where the line does not exist."""

    kind: LineKind
    text: str
    old_line: int | None
    new_line: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines; `section` is what git prints after the second `@@`, mostly the enclosing function."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    lines: tuple[DiffLine, ...]


def parse_hunks(patch: str) -> tuple[Hunk, ...]:
    """The hunks of one file's patch (from its first `@@` on). A last hunk that was cut is kept as far as it goes."""
    lines = _lines(patch)
    hunks = []
    position = 0
    while position < len(lines):
        header = _HUNK.fullmatch(lines[position])
        position += 1
        if header is not None:
            end = _hunk_end(lines, position, header)
            hunks.append(_hunk(header, lines[position:end]))
            position = end
    return tuple(hunks)


def split_git_diff(text: str) -> tuple[str, ...]:
    """The per-file sections of `git diff -p`, in order, each beginning with its `diff --git` line."""
    lines = _lines(text)
    starts = [number for number, line in _outside_hunks(lines) if line.startswith("diff --git ")]
    return tuple("\n".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)]))


def section_patch(section: str) -> str | None:
    """The hunks of a section, from the first `@@` on; None when it has none (binary, mode or name change only)."""
    for number, line in _outside_hunks(section.split("\n")):
        if _HUNK.fullmatch(line):
            return "\n".join(section.split("\n")[number:])
    return None


def file_change(section: str) -> FileChange:
    """One section of `git diff -p` as a record, by its own header lines."""
    lines = section.split("\n")
    header = {}
    for _, line in _outside_hunks(lines[1:]):
        if _HUNK.fullmatch(line):
            break
        for key in ("rename from", "rename to", "copy from", "copy to", "---", "+++", *_STATUS, "old mode", "new mode"):
            if line.startswith(key + " "):
                header[key] = line[len(key) + 1 :]
    old, new = _paths(lines[0], header)
    patch = section_patch(section)
    additions, deletions = count_changes(patch)
    return FileChange(
        path=new,
        previous_path=old if old != new else None,
        status=_status(header, patch),
        additions=additions,
        deletions=deletions,
        patch=patch,
        patch_state=patch_state(section, patch),
    )


def patch_state(section: str, patch: str | None) -> PatchState:
    """Why a section has no hunks, or that it has them all."""
    if _is_submodule(section):
        return "submodule"
    if patch is not None:
        return "complete"
    binary = any(line.startswith(("Binary files ", "GIT binary patch")) for line in section.split("\n"))
    return "binary" if binary else "no_text_change"


def count_changes(patch: str | None) -> tuple[int, int]:
    """Added and deleted lines of a patch."""
    kinds = [line.kind for hunk in parse_hunks(patch or "") for line in hunk.lines]
    return kinds.count("+"), kinds.count("-")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _outside_hunks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The numbered lines that are no hunk content; hunk headers are among them."""
    position = 0
    while position < len(lines):
        yield position, lines[position]
        header = _HUNK.fullmatch(lines[position])
        position += 1
        if header is not None:
            position = _hunk_end(lines, position, header)


def _hunk_end(lines: Sequence[str], position: int, header: re.Match[str]) -> int:
    old, new = _count(header[2]), _count(header[4])
    while position < len(lines):
        mark = lines[position][:1]
        if mark == "\\":
            position += 1
            continue
        if (old == 0 and new == 0) or mark not in _KINDS:
            break
        old -= mark != "+"
        new -= mark != "-"
        position += 1
    return position


def _hunk(header: re.Match[str], lines: Sequence[str]) -> Hunk:
    old, new = int(header[1]), int(header[3])
    parsed = []
    for line in lines:
        if line.startswith("\\"):
            continue
        kind = _KINDS[line[:1]]
        parsed.append(DiffLine(kind, line[1:], None if kind == "+" else old, None if kind == "-" else new))
        old += kind != "+"
        new += kind != "-"
    counts = _count(header[2]), _count(header[4])
    return Hunk(int(header[1]), counts[0], int(header[3]), counts[1], header[5] or "", tuple(parsed))


def _count(text: str | None) -> int:
    return 1 if text is None else int(text)


def _paths(first: str, header: dict[str, str]) -> tuple[str, str]:
    """Old and new path. The `diff --git` line is the last resort: it is ambiguous unless both are the same."""
    old = header.get("rename from") or header.get("copy from")
    new = header.get("rename to") or header.get("copy to")
    if old is not None and new is not None:
        return unquote(old), unquote(new)
    sides = [unquote(header[key].removesuffix("\t"))[2:] for key in ("---", "+++") if _names_file(header.get(key))]
    if sides:
        return sides[0], sides[-1]
    both = first.removeprefix("diff --git ")
    name = unquote(both[: len(both) // 2])[2:]  # "a/X b/X": two halves around one space
    return name, name


def _names_file(side: str | None) -> bool:
    return side is not None and side != "/dev/null"


def unquote(path: str) -> str:
    r"""A path as git prints it: inside quotes, bytes may stand as octal escapes (`"a/\347\274\223"`), UTF-8 mostly."""
    if len(path) < 2 or not (path.startswith('"') and path.endswith('"')):
        return path
    raw = path[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescape, raw).decode("utf-8", "replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 0xFF]) if code.isdigit() else _ESCAPED.get(code, code)


def _status(header: dict[str, str], patch: str | None) -> FileStatus:
    for key, status in _STATUS.items():
        if key in header:
            return status
    if "rename from" in header:
        return "renamed"
    return "mode_changed" if patch is None and "old mode" in header else "modified"


def _is_submodule(section: str) -> bool:
    head = [line for _, line in _outside_hunks(section.split("\n")[:8])]
    return any(
        line.startswith(("index ", "new file mode", "deleted file mode")) and _SUBMODULE in line for line in head
    )
